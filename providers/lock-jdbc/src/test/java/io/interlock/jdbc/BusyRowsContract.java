package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.internal.LockHash;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hold whose row other transactions have locked most of the time is kept, on one of the
 * databases.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class BusyRowsContract {

	private static final Duration LEASE = Duration.ofSeconds(4);

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private final LockDatabase database;

	private final String url;

	private final CountDownLatch end = new CountDownLatch(1);

	private final List<Background<?>> others = new ArrayList<>();

	private JdbcInstances instances;

	private LockGrant hold;

	BusyRowsContract(LockDatabase database, String url) {
		this.database = database;
		this.url = url;
	}

	@BeforeEach
	void acquire() {
		this.instances = new JdbcInstances(this.database, this.url, LEASE, 8);
		this.instances.createTables();
		LeaseLockProvider holder = this.instances.start();
		this.hold = holder.attempt(STOCK, LockCaller.current()).outcome().join().orElseThrow();
	}

	@AfterEach
	void stop() {
		this.instances.close();
	}

	private void begin(Callable<Boolean> turn) {
		this.others.add(Background.start(() -> {
			boolean goesOn = true;
			while (goesOn) {
				goesOn = turn.call() && this.end.getCount() > 0;
			}
			return true;
		}));
	}

	private void assertThatHoldIsKept() throws Exception {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < 2 * LEASE.toNanos()) {
			assertThat(this.hold.state()).isNotEqualTo(LockState.LOST);
			this.end.await(10, TimeUnit.MILLISECONDS);
		}
		this.hold.verify();
		this.end.countDown();
		for (Background<?> other : this.others) {
			other.join();
		}
		assertThat(this.hold.release().join()).isEqualTo(LockState.RELEASED);
	}

	@Test
	void holdIsKeptBesideWaitersOnSlowLines() throws Exception {
		int port = Integer.parseInt(this.url.replaceFirst("^.*:(\\d+)/.*$", "$1"));
		AtomicInteger waits = new AtomicInteger();
		try (TcpProxy line = TcpProxy.to(port);
				JdbcInstances waiters = new JdbcInstances(this.database,
						this.url.replace(":" + port + "/", ":" + line.port() + "/"), LEASE, 2)) {
			line.delay(Duration.ofMillis(25));
			for (int waiter = 0; waiter < 3; waiter++) {
				JdbcLeaseStore store = waiters.store(waiters.pool(), null);
				begin(() -> {
					LeaseContender contender = new LeaseContender(UUID.randomUUID().toString(), "waiter", STOCK.id(),
							LockMode.EXCLUSIVE, 1, false);
					assertThat(store.acquire(contender, LEASE, true).granted()).isFalse();
					waits.incrementAndGet();
					store.release(contender);
					return true;
				});
			}
			assertThatHoldIsKept();
		}
		assertThat(waits).hasValueGreaterThan(10);
	}

	@Test
	void holdIsKeptBesideATransactionThatHasItsRowLockedMostOfTheTime(CapturedOutput output) throws Exception {
		HikariDataSource pool = this.instances.pool();
		begin(() -> {
			try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
				connection.setAutoCommit(false);
				statement.executeQuery("SELECT * FROM interlock_lock WHERE lock_id = '%s' FOR UPDATE"
					.formatted(LockHash.of("", STOCK.id().name(), STOCK.id().key())));
				this.end.await(200, TimeUnit.MILLISECONDS);
				connection.commit();
			}
			return !this.end.await(5, TimeUnit.MILLISECONDS);
		});
		assertThatHoldIsKept();
		assertThat(StringUtils.countOccurrencesOf(output.getOut(), "lock stock was not renewed for")).isOne();
	}

}
