package io.interlock.faults.worker;

import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with a pool of connections to PostgreSQL, whose locks are configured as
 * the starter does it. It starts whether the database answers or not.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(JdbcLockAutoConfiguration.class)
class PostgresApplication {

	static final int POOL_SIZE = 6;

	/**
	 * As many as locks have of their own if nothing else is configured.
	 */
	static final int POOL_SIZE_OF_LOCKS = 2;

	@Bean
	HikariDataSource dataSource(@Value("${database}") String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(POOL_SIZE);
		pool.setConnectionTimeout(1000);
		pool.setInitializationFailTimeout(-1);
		return pool;
	}

	static ConfigurableApplicationContext start(String url, Duration lease, int poolSize) {
		return new SpringApplicationBuilder(PostgresApplication.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(Map.of("database", url, "interlock.provider", "jdbc", "interlock.instance-id", "worker",
					"interlock.jdbc.lease", lease.toMillis() + "ms", "interlock.jdbc.pool-size", poolSize,
					"interlock.verify-timeout", "1s", "interlock.jdbc.initialize-schema", "always"))
			.run();
	}

}
