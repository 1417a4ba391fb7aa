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
 * check at the start. Invariant: an outage begins with the first failure after an answer.
 * Safe for use by many threads.
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

	void answered() {
		if (!this.answeredBefore) {
			this.answeredBefore = true;
		}
		if (this.outage.get() == null) {
			return;
		}
		Outage over = this.outage.getAndSet(null);
		if (over != null && over.told()) {
			logger.warn("%s answers again after %s: locks can be acquired".formatted(location(),
					Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(this.time.nanoTime() - over.since()))));
		}
	}

	/** Note a failure of a question, and return it. */
	<T extends Throwable> T failed(T failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (this.answeredBefore && cause instanceof LeaseStoreException ex && !ex.isUndone()) {
			Outage begun = new Outage(this.time.nanoTime(), ex.getProblem(), false);
			Outage present = this.outage.compareAndExchange(null, begun);
			if (present != null && !present.told() && begun.since() - present.since() >= PATIENCE_NANOS
					&& this.outage.compareAndSet(present, new Outage(present.since(), begun.reason(), true))) {
				logger.warn("%s cannot be used for locks now: %s. Locks cannot be acquired until it can"
					.formatted(location(), ex.getProblem()));
				logger.debug("Why %s cannot be used".formatted(location()), ex);
			}
		}
		return failure;
	}

	/** Return why the store has not answered for a second; {@code null} if it does. */
	@Nullable String reason() {
		Outage present = this.outage.get();
		return (present != null && present.told()) ? present.reason() : null;
	}

	private String location() {
		return this.address.get().location();
	}

	private record Outage(long since, String reason, boolean told) {

	}

}
