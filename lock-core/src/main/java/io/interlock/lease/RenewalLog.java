package io.interlock.lease;

import io.interlock.lease.LeaseStore.Renewed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells when renewals begin to fail and when they succeed again, and why they fail. One
 * thread renews; any thread may ask.
 */
final class RenewalLog {

	private static final Log logger = LogFactory.getLog(RenewalLog.class);

	/** Why the last renewal has failed, as a whole or in part. */
	private volatile @Nullable String failure;

	@Nullable String failure() {
		return this.failure;
	}

	void answered(Renewed answer, int asked) {
		answer.unanswered()
			.values()
			.stream()
			.findFirst()
			.ifPresentOrElse(
					(failure) -> failed("%d of %d locks".formatted(answer.unanswered().size(), asked), failure),
					this::recovered);
	}

	void failed(String locks, Throwable failure) {
		boolean isNews = this.failure == null;
		this.failure = String.valueOf(failure.getMessage());
		if (isNews) {
			try {
				logger.warn(
						"The leases of %s were not renewed: %s. Their holds are unconfirmed until it succeeds, and lost when their leases are over"
							.formatted(locks, failure),
						(failure instanceof LeaseStoreException) ? null : failure);
				logger.debug("Why leases were not renewed", failure);
			}
			catch (Throwable ex) {
				// A failed log line must not prevent the next renewal.
			}
		}
	}

	private void recovered() {
		if (this.failure != null) {
			this.failure = null;
			logger.info("The leases of locks are renewed again");
		}
	}

}
