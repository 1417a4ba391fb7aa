package io.interlock.curator;

import java.util.concurrent.TimeUnit;

import org.apache.curator.RetryPolicy;
import org.apache.curator.RetrySleeper;

/**
 * Retries what a contender does until its attempt is abandoned, so that a cut which the
 * session survives keeps the place in the queue, and leaves everybody else to another
 * policy. A contender ends by interruption: the pause between two tries answers to it.
 *
 * @since 0.1.0
 */
public final class ContenderRetryPolicy implements RetryPolicy {

	private static final long PAUSE_MILLIS = 100;

	private final RetryPolicy delegate;

	/**
	 * Create a policy.
	 * @param delegate the policy of every thread that is no contender
	 */
	public ContenderRetryPolicy(RetryPolicy delegate) {
		this.delegate = delegate;
	}

	@Override
	public boolean allowRetry(int retryCount, long elapsedTimeMs, RetrySleeper sleeper) {
		if (!ContenderThreads.isContender()) {
			return this.delegate.allowRetry(retryCount, elapsedTimeMs, sleeper);
		}
		try {
			sleeper.sleepFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Override
	public boolean allowRetry(Throwable exception) {
		return this.delegate.allowRetry(exception);
	}

}
