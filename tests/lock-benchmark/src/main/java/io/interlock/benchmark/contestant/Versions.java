package io.interlock.benchmark.contestant;

import java.nio.file.Path;

import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.RedisClient;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.postgresql.Driver;
import org.redisson.Redisson;

import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Versions of libraries, read from the names of their files.
 *
 * @since 0.1.0
 */
public final class Versions {

	private Versions() {
	}

	/**
	 * Return the version of the library that has a class.
	 * @param type the class
	 * @return the version
	 */
	public static String of(Class<?> type) {
		String location = type.getProtectionDomain().getCodeSource().getLocation().getPath();
		String file = Path.of(location).getFileName().toString();
		return file.replaceAll("^.*?-(\\d.*)\\.jar$", "$1");
	}

	/**
	 * Return the versions of what is compared on stores other than ZooKeeper.
	 * @return a sentence for the report
	 */
	public static String ofPeers() {
		return "ShedLock %s, Spring Integration %s (JDBC) and %s (Redis), Redisson %s; PostgreSQL driver %s, HikariCP %s, Lettuce %s."
			.formatted(of(JdbcTemplateLockProvider.class), of(JdbcLockRegistry.class), of(RedisLockRegistry.class),
					of(Redisson.class), of(Driver.class), of(HikariDataSource.class), of(RedisClient.class));
	}

}
