package io.interlock.health;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Makes sure that locks can be acquired in a store of leases. With a timeout the
 * application does not start before that is known. Without one it starts at once, and the
 * check logs its failure.
 *
 * @since 0.1.0
 */
public final class LeaseStartupCheck implements InitializingBean, DisposableBean {

	private static final Log logger = LogFactory.getLog(LeaseStartupCheck.class);

	private static final long RETRY_PAUSE_MILLIS = 200;

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final LeaseLockProvider provider;

	private final @Nullable String name;

	private final Duration timeout;

	private final Duration patience;

	private final FutureTask<@Nullable Void> check = new FutureTask<>(this::check);

	private volatile @Nullable LeaseStoreException obstacle;

	/** Create a check that waits for the store, for zero in the background. */
	public LeaseStartupCheck(LeaseLockProvider provider, Duration timeout) {
		this(provider, null, timeout, PATIENCE);
	}

	/** Create a check of the store of a named provider. */
	public LeaseStartupCheck(LeaseLockProvider provider, String name, Duration timeout) {
		this(provider, name, timeout, PATIENCE);
	}

	LeaseStartupCheck(LeaseLockProvider provider, @Nullable String name, Duration timeout, Duration patience) {
		this.provider = provider;
		this.name = name;
		this.timeout = timeout;
		this.patience = patience;
	}

	@Override
	public void afterPropertiesSet() {
		boolean wait = !this.timeout.isZero();
		Thread thread = new Thread(wait ? this.check : this::checkAndLog, "interlock-worker-startup");
		thread.setDaemon(true);
		thread.start();
		if (wait) {
			await();
		}
	}

	private void await() {
		try {
			this.check.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw refused(ex.getCause());
		}
		catch (TimeoutException ex) {
			this.check.cancel(true);
			throw unreachable();
		}
		catch (InterruptedException ex) {
			this.check.cancel(true);
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for the store of the locks", ex);
		}
	}

	private void checkAndLog() {
		this.check.run();
		try {
			this.check.get();
		}
		catch (ExecutionException ex) {
			logger.error(refused(ex.getCause()).getMessage());
		}
		catch (Exception ex) {
			logger.debug("Start-up check ended with the application", ex);
		}
	}

	private @Nullable Void check() throws InterruptedException {
		long start = System.nanoTime();
		boolean told = false;
		while (!isServing()) {
			if (!told && System.nanoTime() - start >= this.patience.toNanos()) {
				told = true;
				logger.warn("%s cannot be used for locks: %s. Locks cannot be acquired until it can"
					.formatted(address().location(), problem()));
			}
			TimeUnit.MILLISECONDS.sleep(RETRY_PAUSE_MILLIS);
		}
		logger.info("Locks%s are kept in %s, which serves: %s".formatted(
				(this.name != null) ? " of provider '" + this.name + "'" : "", address(),
				this.provider.capabilities()));
		return null;
	}

	private boolean isServing() {
		try {
			this.provider.check();
			return true;
		}
		catch (LeaseStoreException ex) {
			if (!ex.isPassing()) {
				throw ex;
			}
			this.obstacle = ex;
			return false;
		}
	}

	private LeaseStoreException unreachable() {
		LeaseStoreException reason = this.obstacle;
		return LeaseStoreException.lasting(
				"%s cannot be used for locks within the startup timeout of %d ms: %s".formatted(address().location(),
						this.timeout.toMillis(), problem()),
				remedy(reason, "Start %s there, or correct %s".formatted(address().store(), address().properties()))
						+ ". Set interlock.startup-timeout=0 to start without waiting",
				reason);
	}

	private static String remedy(@Nullable LeaseStoreException reason, String otherwise) {
		String known = (reason != null) ? reason.getRemedy() : null;
		return (known != null) ? known : otherwise;
	}

	private String problem() {
		LeaseStoreException reason = this.obstacle;
		return (reason != null) ? reason.getProblem() : "it does not answer";
	}

	private LeaseStoreException refused(@Nullable Throwable reason) {
		LeaseStoreException known = (reason instanceof LeaseStoreException failure) ? failure : null;
		return LeaseStoreException.lasting(
				"%s cannot be used for locks: %s".formatted(address(),
						(known != null) ? known.getProblem() : String.valueOf(reason)),
				remedy(known, "Make it usable for this application, or correct " + address().properties()), reason);
	}

	private LeaseStoreAddress address() {
		return this.provider.address();
	}

	@Override
	public void destroy() {
		this.check.cancel(true);
	}

}
