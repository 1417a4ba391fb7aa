package io.interlock.internal;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Makes sure that locks can be acquired in a store, which a subclass asks. With a timeout
 * the application does not start before that is known. Without one it starts at once, and
 * the check logs its failure.
 *
 * @since 0.1.0
 */
public abstract class AbstractStartupCheck implements InitializingBean, DisposableBean {

	/** The log of the subclass. */
	protected final Log logger = LogFactory.getLog(getClass());

	private final String store;

	private final Duration timeout;

	private final FutureTask<@Nullable Void> check = new FutureTask<>(() -> {
		awaitStore();
		return null;
	});

	/**
	 * Create a check that waits for the store, for zero in the background.
	 * @param store what is waited for, as messages name it
	 * @param timeout how long the start waits
	 */
	protected AbstractStartupCheck(String store, Duration timeout) {
		this.store = store;
		this.timeout = timeout;
	}

	@Override
	public final void afterPropertiesSet() {
		boolean wait = !this.timeout.isZero();
		LockThreads.WORKER.thread("startup", wait ? this.check : this::checkAndLog).start();
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
			throw unreachable(this.timeout);
		}
		catch (InterruptedException ex) {
			this.check.cancel(true);
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + this.store, ex);
		}
	}

	private void checkAndLog() {
		this.check.run();
		try {
			this.check.get();
		}
		catch (ExecutionException ex) {
			this.logger.error(describe(refused(ex.getCause())));
		}
		catch (Exception ex) {
			this.logger.debug("Start-up check ended with the application", ex);
		}
	}

	/**
	 * Ask the store until it serves. Blocks, and ends when its thread is interrupted.
	 * @throws Exception if the store refuses
	 */
	protected abstract void awaitStore() throws Exception;

	/** Return what the start fails with when the store refuses. */
	protected abstract RuntimeException refused(@Nullable Throwable reason);

	/** Return what the start fails with when the store does not serve in time. */
	protected abstract RuntimeException unreachable(Duration timeout);

	/** Return the line that a check in the background logs of a refusal. */
	protected @Nullable String describe(RuntimeException refusal) {
		return refusal.getMessage();
	}

	@Override
	public final void destroy() {
		this.check.cancel(true);
	}

}
