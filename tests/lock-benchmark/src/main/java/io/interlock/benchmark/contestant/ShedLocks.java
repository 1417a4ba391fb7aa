package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock in PostgreSQL, by the clock of the database. It cannot wait: its users skip
 * what is locked. Here a thread asks again as Interlock does, after 2 ms at first and 50
 * ms at last, a random part of up to a half less.
 */
final class ShedLocks implements Locks {

	private static final Duration LOCK_AT_MOST_FOR = Duration.ofSeconds(15);

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

	private final HikariDataSource pool;

	private final LockProvider provider;

	private final Duration lockAtMostFor;

	ShedLocks(String url, @Nullable Duration lockAtMostFor) {
		this.pool = Pools.connect(url, lockAtMostFor);
		this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(this.pool))
			.usingDbTime()
			.build());
		this.lockAtMostFor = (lockAtMostFor != null) ? lockAtMostFor : LOCK_AT_MOST_FOR;
	}

	@Override
	public void exclusively(String key, Runnable body) {
		long pause = FIRST_PAUSE;
		while (!tryExclusively(key, body)) {
			LockSupport.parkNanos(pause - ThreadLocalRandom.current().nextLong(pause / 2));
			pause = Math.min(LONGEST_PAUSE, 2 * pause);
		}
	}

	@Override
	public boolean tryExclusively(String key, Runnable body) {
		Optional<SimpleLock> lock = this.provider
			.lock(new LockConfiguration(Instant.now(), key, this.lockAtMostFor, Duration.ZERO));
		if (lock.isEmpty()) {
			return false;
		}
		try {
			body.run();
		}
		finally {
			lock.get().unlock();
		}
		return true;
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
