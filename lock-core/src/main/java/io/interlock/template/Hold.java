package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.RevocationRequest;
import io.interlock.provider.LockGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One grant, shared by the handles of an outermost acquisition and of those that joined
 * it. Invariant: the grant is released exactly once, when the last of its handles is
 * closed, or later by the end of its minimum time, and nothing joins after the close.
 * Listeners are shown a handle of their own, which ends nothing.
 */
final class Hold {

	private static final Log logger = LogFactory.getLog(Hold.class);

	private final LockRequest request;

	private final LockGrant grant;

	private final HoldParts parts;

	private final Holder holder;

	private final Consumer<Hold> released;

	private final Instant acquiredAt = Instant.now();

	private final long grantedAt;

	private final HoldHandle outermost;

	private final HoldHandle shown;

	private final AtomicInteger handles = new AtomicInteger(1);

	private final AtomicLong minHoldNanos = new AtomicLong();

	private final LossInterrupter.Bodies bodies = new LossInterrupter.Bodies();

	private final Actions<LockState> stateActions = new Actions<>(LockState.VALID);

	private final Actions<RevocationRequest> revocationActions = new Actions<>(null);

	private final AtomicBoolean overdueTold = new AtomicBoolean();

	private volatile @Nullable Future<?> limit;

	private volatile @Nullable MinHold kept;

	private volatile boolean unconfirmed;

	private volatile boolean takenAway;

	Hold(LockRequest request, LockGrant grant, HoldParts parts, Holder holder, Consumer<Hold> released) {
		this.holder = holder;
		this.request = request;
		this.grant = grant;
		this.parts = parts;
		this.released = released;
		this.grantedAt = time().nanoTime();
		this.outermost = new HoldHandle(this, request);
		this.shown = HoldHandle.forListeners(this, request);
	}

	void begin(Duration waited) {
		tell((listener) -> listener.onAcquired(this.request, this.shown, waited));
		this.stateActions.add(this::stateChanged);
		this.grant.onStateChange(this::changed);
		this.limit = startLimit(this.request, () -> false);
	}

	@Nullable Future<?> startLimit(LockRequest request, BooleanSupplier ended) {
		Duration maxHold = request.maxHold();
		return (maxHold == null) ? null : time().schedule(() -> {
			if (!hasEnded() && !ended.getAsBoolean()) {
				overdue(request);
			}
		}, TimeUnit.NANOSECONDS.convert(maxHold));
	}

	boolean join() {
		return this.handles.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	boolean hasEnded() {
		return this.handles.get() == 0;
	}

	/** Return whether only the servers know if the lock was held until now. */
	boolean isInDoubt() {
		return this.grant.state() == LockState.UNCONFIRMED && !this.grant.isCovered();
	}

	/** Return whether its end, as far as is known, neither asks a server nor waits. */
	boolean endsAtOnce() {
		return this.parts.settings().releaseTimeout().isZero() && !isLost() && !isInDoubt();
	}

	/**
	 * Leave this hold; the last to leave ends it. Of all minimum times the longest
	 * counts, if a body {@code ran}. The servers may have just {@code verified} the lock.
	 */
	HoldEnd leave(LockRequest request, boolean wait, boolean verified, boolean ran) {
		Duration minHold = request.minHold();
		this.minHoldNanos.accumulateAndGet((ran && minHold != null) ? TimeUnit.NANOSECONDS.convert(minHold) : 0,
				Math::max);
		if (this.handles.decrementAndGet() != 0) {
			return HoldEnd.NONE;
		}
		HoldEnd kept = beginMinHold();
		return (kept != null) ? kept : end(wait, verified);
	}

	/** Keep the lock for the rest of its minimum time; no thread holds it then. */
	private @Nullable HoldEnd beginMinHold() {
		Duration minHold = Duration.ofNanos(this.minHoldNanos.get());
		Duration held = held();
		if (minHold.compareTo(held) <= 0 || isLost() || this.parts.minHolds().keepsNone()) {
			return null;
		}
		this.holder.detach();
		MinHold kept = new MinHold(held, minHold, this.grant, time(), () -> release(false, Duration.ZERO),
				this::tellEnd);
		this.kept = kept;
		Runnable news = this.parts.minHolds().begin(kept, this::isLost);
		return new HoldEnd(null, () -> {
			tell((listener) -> listener.onKept(this.shown, kept.held()));
			kept.told();
			news.run();
		});
	}

	Runnable endKept() {
		MinHold kept = this.kept;
		return (kept != null) ? kept.end() : MinHold.NO_NEWS;
	}

	private HoldEnd end(boolean wait, boolean verified) {
		Duration timeout = wait ? this.parts.settings().releaseTimeout() : Duration.ZERO;
		return new HoldEnd(release(verified, timeout), this::tellEnd);
	}

	/** Release the lock. No listener is told before that, so none delays it. */
	private GrantRelease release(boolean verified, Duration timeout) {
		LockTime.cancel(this.limit);
		this.unconfirmed = !verified && this.grant.state() == LockState.UNCONFIRMED;
		return new GrantRelease(this.grant, this.stateActions, timeout, () -> this.released.accept(this));
	}

	private void tellEnd() {
		if (this.unconfirmed) {
			this.parts.log().unconfirmed(this.shown.id());
			tell((listener) -> listener.onUnconfirmed(this.shown));
		}
		MinHold kept = this.kept;
		Duration held = (kept != null) ? kept.held() : held();
		tell((listener) -> listener.onReleased(this.shown, held));
	}

	/**
	 * Interrupt a body when this hold is lost or overdue, before any other action. It may
	 * be so already: a thread can stand still between its grant and its body.
	 */
	void interruptOnLoss(LossInterrupter interrupter) {
		this.bodies.add(interrupter, this.stateActions::knowsLast);
	}

	void forget(LossInterrupter interrupter) {
		this.bodies.remove(interrupter);
	}

	/** Several threads bring news, some late: the current state of the grant counts. */
	private void changed(LockState news) {
		if (news == LockState.LOST) {
			this.stateActions.tellLast(news);
		}
		else {
			this.stateActions.tellChange(() -> {
				LockState state = this.grant.state();
				return (state == LockState.VALID || state == LockState.UNCONFIRMED) ? state : null;
			});
		}
	}

	/**
	 * Runs first. A lock that this instance gives up is not lost, nor is one that the
	 * servers keep without it: they, or an operator, have freed it.
	 */
	private void stateChanged(LockState state) {
		if (state != LockState.LOST || this.takenAway) {
			return;
		}
		this.bodies.interrupt();
		MinHold kept = this.kept;
		Runnable released = endKept();
		if (kept != null && kept.isKeptByServers()) {
			this.parts.log().freed(this.shown.id());
		}
		else {
			this.parts.log().lost(this.shown, this.holder.name(), kept != null);
			tell((listener) -> listener.onLost(this.shown));
		}
		released.run();
	}

	/**
	 * End this hold if its thread cannot, because it waits for the shutdown or has ended.
	 * Its handles are told of a loss, but no lock is lost: this instance gives it up.
	 */
	HoldEnd endIfStuck() {
		String reason = this.holder.reasonNotToWait();
		if (reason == null || this.handles.getAndSet(0) == 0) {
			return HoldEnd.NONE;
		}
		this.takenAway = true;
		this.holder.warnOfRelease(this.request.id(), this.acquiredAt, reason);
		return end(false, false).followedBy(() -> this.stateActions.tellLast(LockState.LOST, AsyncThreads::tell));
	}

	/**
	 * Report an overrun of the longest time once. The timer's thread neither logs nor
	 * tells, which may block. The stack shows the body before its interrupt.
	 */
	private void overdue(LockRequest request) {
		String whereabouts = this.holder.whereabouts();
		if (request.onLoss() == LossPolicy.INTERRUPT) {
			this.bodies.interruptNowOrAtTheBeginning();
		}
		if (!this.overdueTold.compareAndSet(false, true)) {
			return;
		}
		Duration held = held();
		String name = this.holder.name();
		time().execute(() -> {
			logger.warn("Lock %s is held by thread '%s' for %s, longer than its limit of %s; it stays held.%s"
				.formatted(this.request.id(), name, held, request.maxHold(), whereabouts));
			tell((listener) -> listener.onOverdue(this.shown, held));
		});
	}

	void requestRevocation(RevocationRequest request) {
		logger.warn("%s asks to give up lock %s, which thread '%s' has held since %s with token %d. %s".formatted(
				request.requestedBy(), this.request.id(), this.holder.name(), this.acquiredAt,
				this.grant.fencingToken(), (this.kept != null) ? "The thread has ended this hold, so it is released now"
						: "It stays held until the thread releases it"));
		this.revocationActions.tellLast(request);
		tell((listener) -> listener.onRevocationRequested(this.shown, request));
	}

	/** Ask the servers whether they are all held. A loss counts more than a failure. */
	static void verify(List<Hold> holds) {
		try {
			holds.get(0).grant.verifyWith(holds.stream().skip(1).map(Hold::grant).toList());
		}
		catch (LockInterruptedException | IllegalStateException ex) {
			// The interrupt may be that of the loss itself, and the shutdown releases
			// what its handle still has.
			holds.forEach(Hold::throwIfLost);
			throw ex;
		}
	}

	void throwIfLost() {
		if (isLost()) {
			throw Failures.lost(this.outermost);
		}
	}

	/** Return whether its own thread needs no other hold for the request. */
	boolean covers(LockRequest other) {
		return this.request.id().equals(other.id())
				&& (this.request.mode() == LockMode.EXCLUSIVE || !this.request.mode().excludes(other.mode()));
	}

	@Nullable MinHold kept() {
		return this.kept;
	}

	/** Return whether it was left to the servers, which keep it without this instance. */
	boolean isLeft() {
		return MinHold.isLeft(this.kept);
	}

	<T> Optional<T> unwrap(Class<T> type) {
		MinHold kept = this.kept;
		return type.isInstance(kept) ? Optional.of(type.cast(kept)) : this.grant.unwrap(type);
	}

	String heldBy() {
		MinHold kept = this.kept;
		String by = (kept != null) ? kept.heldBy(this.holder.operator())
				: "thread '%s' of this instance".formatted(this.holder.name());
		return by + this.holder.transactionOf(this);
	}

	HoldHandle outermost() {
		return this.outermost;
	}

	HoldHandle shown() {
		return this.shown;
	}

	Holder holder() {
		return this.holder;
	}

	boolean isFirstMove(String name) {
		return this.parts.log().isFirstMove(name);
	}

	void tell(Consumer<LockListener> news) {
		this.parts.listeners().tell(news);
	}

	private LockTime time() {
		return this.parts.time();
	}

	private Duration held() {
		return Duration.ofNanos(time().nanoTime() - this.grantedAt);
	}

	LockSnapshot snapshot(boolean withStack) {
		return new LockSnapshot(this.request.id(), this.request.mode(), this.grant.fencingToken(),
				this.grant.state() == LockState.VALID, this.grant.handoff(), this.holder.name(), this.acquiredAt,
				withStack ? this.holder.stack() : List.of(), MinHold.until(this.kept), null, this.holder.operator());
	}

	LockGrant grant() {
		return this.grant;
	}

	Instant acquiredAt() {
		return this.acquiredAt;
	}

	Actions<LockState> stateActions() {
		return this.stateActions;
	}

	Actions<RevocationRequest> revocationActions() {
		return this.revocationActions;
	}

	/** Return whether this hold is lost, also if the news is still on its way. */
	boolean isLost() {
		return this.takenAway || this.stateActions.knowsLast() || this.grant.state() == LockState.LOST;
	}

}
