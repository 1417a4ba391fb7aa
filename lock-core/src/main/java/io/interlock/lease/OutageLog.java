package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs the outages of a store: one line with the reason when its answers have failed for
 * a second, and one when it answers again. A store that has never answered is left to the
 * check at the start. Invariants: an outage begins with the first failure after an
 * answer; one in which locks cannot be acquired is not ended by the answer to a release
 * or a renewal. Safe for use by many threads.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Supplier<LeaseStoreAddress> address;

	private final LeaseTime time;

	private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();

	private volatile boolean answeredBefore;

	OutageLog(Supplier<LeaseStoreAddress> address, LeaseTime time) {
		this.address = address;
		this.time = time;
	}

	/** Note an answer to an acquisition or a check. */
	void answered() {
		noteAnswer();
		if (this.outage.get() != null) {
			end(this.outage.getAndSet(null));
		}
	}

	/** Note an answer to another request, which does not tell that locks are granted. */
	void answeredOther() {
		noteAnswer();
		Outage present = this.outage.get();
		if (present != null && !present.acquiring() && this.outage.compareAndSet(present, null)) {
			end(present);
		}
	}

	private void noteAnswer() {
		if (!this.answeredBefore) {
			this.answeredBefore = true;
		}
	}

	private void end(@Nullable Outage over) {
		if (over != null && over.told()) {
			logger.warn("%s answers again after %s: locks can be acquired".formatted(location(),
					Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(this.time.nanoTime() - over.since()))));
		}
	}

	/** Note a failure of an acquisition or of another request, and return it. */
	<T extends Throwable> T failed(T failure, boolean acquiring) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (this.answeredBefore && cause instanceof LeaseStoreException ex && !ex.isUndone()) {
			Outage begun = new Outage(this.time.nanoTime(), ex.getProblem(), acquiring, false);
			Outage present = this.outage.compareAndExchange(null, begun);
			if (present != null && !present.told() && begun.since() - present.since() >= PATIENCE_NANOS && this.outage
				.compareAndSet(present, new Outage(present.since(), begun.reason(), present.acquiring(), true))) {
				logger.warn("%s cannot be used for locks now: %s. Locks cannot be acquired until it can"
					.formatted(location(), ex.getProblem()));
				logger.debug("Why %s cannot be used".formatted(location()), ex);
			}
		}
		return failure;
	}

	/** Return whether the newest answer to an acquisition or a check was a failure. */
	boolean isDoubtful() {
		return this.outage.get() != null;
	}

	/** Return why the store has not answered for a second; {@code null} if it does. */
	@Nullable String reason() {
		Outage present = this.outage.get();
		return (present != null && present.told()) ? present.reason() : null;
	}

	private String location() {
		return this.address.get().location();
	}

	private record Outage(long since, String reason, boolean acquiring, boolean told) {

	}

}
