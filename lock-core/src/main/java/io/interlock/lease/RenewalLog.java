package io.interlock.lease;

import java.util.function.BooleanSupplier;

import io.interlock.lease.LeaseStore.Renewed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells when renewals begin to fail and when they succeed again, and why they fail. A
 * failure counts as long as one of the holds that it left unrenewed is open: later holds
 * are answers of the store, though none of them may live until its first renewal. In the
 * log, failures belong together that follow each other within a lease, which none of
 * those holds outlives. One thread renews; any thread may ask.
 */
final class RenewalLog {

	private static final Log logger = LogFactory.getLog(RenewalLog.class);

	private final LeaseTime time;

	private final long leaseNanos;

	/** Why the last renewal has failed, as a whole or in part. */
	private volatile @Nullable String failure;

	/** Whether one of the holds that it left unrenewed is open. */
	private volatile BooleanSupplier unrenewed = () -> false;

	private volatile long failedAt;

	RenewalLog(LeaseTime time, long leaseNanos) {
		this.time = time;
		this.leaseNanos = leaseNanos;
	}

	/** Return why leases of open holds were not renewed, or {@code null} if they were. */
	@Nullable String failure() {
		return this.unrenewed.getAsBoolean() ? this.failure : null;
	}

	void answered(Renewed answer, int asked, BooleanSupplier unanswered) {
		answer.unanswered()
			.values()
			.stream()
			.findFirst()
			.ifPresentOrElse((failure) -> failed("%d of %d locks".formatted(answer.unanswered().size(), asked), failure,
					unanswered), this::recovered);
	}

	void failed(String locks, Throwable failure, BooleanSupplier unrenewed) {
		boolean isNews = !isFailing();
		this.failure = String.valueOf(failure.getMessage());
		this.failedAt = this.time.nanoTime();
		this.unrenewed = unrenewed;
		if (isNews) {
			try {
				logger.warn(
						("The leases of %s were not renewed: %s. The holds are unconfirmed until a renewal succeeds, "
								+ "and lost when their leases end")
							.formatted(locks, failure),
						(failure instanceof LeaseStoreException) ? null : failure);
				logger.debug("Why leases were not renewed", failure);
			}
			catch (Throwable ex) {
				// A failed log line must not prevent the next renewal.
			}
		}
	}

	private boolean isFailing() {
		return this.failure != null && this.time.nanoTime() - this.failedAt < this.leaseNanos;
	}

	private void recovered() {
		boolean isNews = isFailing();
		this.failure = null;
		this.unrenewed = () -> false;
		if (isNews) {
			logger.info("The leases of locks are renewed again");
		}
	}

}
