package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.interlock.LockState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The time for which a lock stays taken after its hold has ended. Another contender takes
 * the place of the holder in the store. Invariants: the hold is renewed until the store
 * has answered; only one of the two contenders is in the store, and none after
 * {@link #end()} was answered, because the place of a contender that was released is
 * taken by no other one. A lost answer is asked for again while the hold is open. A store
 * that refuses for good keeps no lock: then this instance does, while it lives.
 */
final class LeaseKeeping {

	private static final Log logger = LogFactory.getLog(LeaseKeeping.class);

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final LeaseGrant hold;

	private final LeaseContender kept;

	private final LeaseParts parts;

	private final LeaseRenewal renewal;

	private final long length;

	private final long until;

	private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

	private volatile boolean ended;

	private volatile boolean gone;

	LeaseKeeping(LeaseGrant hold, Duration rest, LeaseParts parts, LeaseRenewal renewal) {
		this.hold = hold;
		this.kept = hold.contender().kept();
		this.parts = parts;
		this.renewal = renewal;
		this.length = TimeUnit.NANOSECONDS.convert(rest);
		this.until = parts.time().nanoTime() + this.length;
	}

	/** Ask the store; completed with whether it keeps the lock. */
	CompletableFuture<Boolean> begin() {
		ask();
		return this.answer;
	}

	/** Whether the store has said that it keeps the lock. */
	boolean isKept() {
		return !this.gone && this.answer.getNow(false);
	}

	/** Whether another contender may have taken the place of the holder. */
	boolean mayBeKept() {
		return !this.ended && !this.gone && this.answer.getNow(true);
	}

	private void ask() {
		if (this.ended || !this.hold.isOpen()) {
			this.answer.complete(false);
			return;
		}
		try {
			request().whenComplete(this::answered);
		}
		catch (Throwable ex) {
			askLater();
		}
	}

	private CompletionStage<Boolean> request() {
		return this.parts.connection()
			.keep(this.hold.contender(), this.kept,
					Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), rest())));
	}

	private long rest() {
		return this.until - this.parts.time().nanoTime();
	}

	private void answered(@Nullable Boolean kept, @Nullable Throwable failure) {
		if (kept == null) {
			failed((failure instanceof CompletionException) ? failure.getCause() : failure);
			return;
		}
		boolean inTime = kept && !this.hold.isLost();
		if (inTime) {
			this.renewal.leave(this.hold);
			watch();
		}
		this.answer.complete(inTime);
		if (!inTime) {
			this.hold.lose();
		}
	}

	/** Whichever of this and the end comes first, nothing is left to be looked at. */
	private void watch() {
		this.parts.kept().add(this.kept, this.hold.fencingToken(), this::vanished);
		if (this.ended) {
			this.parts.kept().remove(this.kept);
		}
	}

	private void failed(@Nullable Throwable failure) {
		if (failure instanceof LeaseStoreException refusal && !refusal.isPassing()) {
			this.answer.complete(false);
			warn(refusal);
		}
		else {
			askLater();
		}
	}

	private void warn(LeaseStoreException refusal) {
		try {
			logger.warn("Lock %s is kept for its minimum hold time only while this instance runs: %s"
				.formatted(this.kept.lock(), refusal.getMessage()));
		}
		catch (Throwable ex) {
			// A failed log line must not prevent what comes next.
		}
	}

	private void askLater() {
		try {
			this.parts.threads().later(this::ask, PAUSE_NANOS);
		}
		catch (Throwable ex) {
			// The instance has stopped, or has no memory: it keeps the lock while it
			// lives.
			this.answer.complete(false);
		}
	}

	/**
	 * Lose a hold that the store keeps no more, although its time is not over. The last
	 * tenth of that is for clocks that run at different rates.
	 */
	private void vanished() {
		if (!this.ended && rest() > this.length / 10) {
			this.gone = true;
			this.parts.kept().remove(this.kept);
			this.hold.lose();
		}
	}

	/**
	 * Free the lock, which is no loss if its time is over already. The holder goes first:
	 * then no contender can take its place any more, and the one that may have done so
	 * goes behind it.
	 */
	CompletableFuture<LockState> end() {
		this.ended = true;
		this.parts.kept().remove(this.kept);
		if (isKept()) {
			return releaseKept();
		}
		CompletableFuture<LockState> held = this.renewal.release(this.hold);
		// The answer does not tell whether the holder was still there.
		CompletableFuture<LockState> both = held.thenCompose((state) -> releaseKept()
			.thenCompose((kept) -> (kept == LockState.RELEASED) ? CompletableFuture.completedFuture(kept) : held));
		return this.parts.releases().awaited(both);
	}

	private CompletableFuture<LockState> releaseKept() {
		long leaseNanos = this.parts.settings().lease().toNanos();
		return this.parts.releases()
			.release(this.kept, this.hold.fencingToken(), Math.max(leaseNanos, rest()))
			.thenApply((state) -> (isKept() || rest() <= 0) ? LockState.RELEASED : state);
	}

}
