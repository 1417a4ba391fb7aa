package io.interlock.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A data source whose first commit stands still before the database hears of it, until
 * the test lets it go on.
 */
final class PausedCommits extends DelegatingDataSource {

	private final AtomicBoolean isFirst = new AtomicBoolean(true);

	private final CountDownLatch paused = new CountDownLatch(1);

	private final CountDownLatch resumed = new CountDownLatch(1);

	PausedCommits(DataSource target) {
		super(target);
	}

	void awaitPause() {
		await(this.paused);
	}

	void resume() {
		this.resumed.countDown();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(PausedCommits.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("commit") && this.isFirst.getAndSet(false)) {
						this.paused.countDown();
						await(this.resumed);
					}
					return AopUtils.invokeJoinpointUsingReflection(connection, method,
							(arguments != null) ? arguments : new Object[0]);
				});
	}

	private static void await(CountDownLatch latch) {
		try {
			if (!latch.await(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Nothing happened within 30 seconds");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
