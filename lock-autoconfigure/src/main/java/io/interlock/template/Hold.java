package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockGrant;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.RevocationRequest;
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

	/**
	 * How long a release waits for actions of its own loss, which may wait for it.
	 */
	private static final long ACTIONS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockRequest request;

	private final LockGrant grant;

	private final HeldLocks heldLocks;

	private final LockListeners listeners;

	private final Duration releaseTimeout;

	private final Holder holder;

	private final Instant acquiredAt = Instant.now();

	private final long grantedAt;

	private final HoldHandle outermost;

	private final HoldHandle shown;

	private final AtomicInteger handles = new AtomicInteger(1);

	private final LossInterrupter.Bodies bodies = new LossInterrupter.Bodies();

	private final Actions<LockState> stateActions = new Actions<>(LockState.VALID);

	private final Actions<RevocationRequest> revocationActions = new Actions<>(null);

	private volatile @Nullable Future<?> overdueCheck;

	private volatile @Nullable KeptHold kept;

	private volatile boolean takenAway;

	private volatile boolean leakTold;

	Hold(LockRequest request, LockGrant grant, HeldLocks heldLocks, LockListeners listeners, Duration releaseTimeout,
			Holder holder) {
		this.holder = holder;
		this.request = request;
		this.grant = grant;
		this.heldLocks = heldLocks;
		this.grantedAt = heldLocks.time().nanoTime();
		this.listeners = listeners;
		this.releaseTimeout = releaseTimeout;
		this.outermost = new HoldHandle(this, request);
		this.shown = HoldHandle.forListeners(this, request);
	}

	void begin(Duration waited) {
		this.heldLocks.add(this);
		this.listeners.tell((listener) -> listener.onAcquired(this.request, this.shown, waited));
		this.stateActions.add(this::stateChanged);
		this.grant.onStateChange(this::tell);
		Duration maxHold = this.request.maxHold();
		if (maxHold != null) {
			this.overdueCheck = this.heldLocks.time().schedule(this::overdue, TimeUnit.NANOSECONDS.convert(maxHold));
		}
	}

	/**
	 * Take part in this hold.
	 * @return {@code false} if it has ended
	 */
	boolean join() {
		return this.handles.getAndUpdate((count) -> (count > 0) ? count + 1 : 0) > 0;
	}

	/**
	 * Return whether every handle is closed. The lock may stay taken for its minimum
	 * time.
	 */
	boolean hasEnded() {
		return this.handles.get() == 0;
	}

	/**
	 * Return whether only the servers know whether the lock was held until now.
	 */
	boolean isInDoubt() {
		return this.grant.state() == LockState.UNCONFIRMED && !this.grant.isCovered();
	}

	/**
	 * Return whether its end asks no server and waits for nothing, as far as is known.
	 */
	boolean endsAtOnce() {
		return this.releaseTimeout.isZero() && !isLost() && !isInDoubt();
	}

	/**
	 * Leave this hold; the last to leave ends it.
	 * @param wait whether to wait for the answer of the servers
	 * @param verified whether they have just confirmed it
	 */
	void leave(boolean wait, boolean verified) {
		if (this.handles.decrementAndGet() == 0 && !keep()) {
			end(wait, verified);
		}
	}

	/**
	 * Keep the lock for the rest of its minimum time, in which no thread holds it.
	 * @return {@code false} if it is not to be kept
	 */
	private boolean keep() {
		Duration minHold = this.request.minHold();
		if (minHold == null || minHold.compareTo(held()) <= 0 || isLost() || this.heldLocks.keepsNone()) {
			return false;
		}
		this.holder.detach();
		KeptHold kept = new KeptHold(held(), minHold, () -> end(false, false));
		this.kept = kept;
		this.listeners.tell((listener) -> listener.onKept(this.shown, kept.held()));
		kept.start(this.heldLocks.time());
		if (isLost() || this.heldLocks.keepsNone()) {
			kept.end();
		}
		return true;
	}

	/**
	 * Release the lock if nothing but its minimum time keeps it.
	 */
	void endKept() {
		KeptHold kept = this.kept;
		if (kept != null) {
			kept.end();
		}
	}

	private void end(boolean wait, boolean verified) {
		Future<?> check = this.overdueCheck;
		if (check != null) {
			check.cancel(false);
		}
		if (!verified && this.grant.state() == LockState.UNCONFIRMED) {
			this.heldLocks.logUnconfirmed(this);
			this.listeners.tell((listener) -> listener.onUnconfirmed(this.shown));
		}
		try {
			release(wait);
		}
		finally {
			this.heldLocks.remove(this);
		}
		Duration held = KeptHold.timeOfBody(this.kept, held());
		this.listeners.tell((listener) -> listener.onReleased(this.shown, held));
	}

	private void release(boolean wait) {
		try {
			CompletableFuture<LockState> release = this.grant.release();
			if (wait && !release.isDone() && !this.releaseTimeout.isZero()) {
				ReleaseWait.await(release, this.grant.id(), this.releaseTimeout);
			}
			AtomicBoolean closing = new AtomicBoolean(true);
			release.thenAccept((state) -> released(state, closing.get()));
			closing.set(false);
		}
		catch (RuntimeException ex) {
			logger.warn("Releasing lock %s failed; what the body returned or threw is not affected"
				.formatted(this.grant.id()), ex);
		}
		// A caller that closes is about to ask whether the lock was lost.
		this.stateActions.awaitLastTold(ACTIONS_NANOS);
	}

	/**
	 * Tell a loss that the release has found. The closing thread lets another one do so:
	 * it waits for actions and listeners only as long as it does for any loss.
	 */
	private void released(LockState state, boolean closing) {
		if (state == LockState.LOST) {
			this.stateActions.tellLast(state, closing ? Actions::onThreadOfItsOwn : Runnable::run);
		}
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

	/**
	 * Take news of the grant, which is asked for its state: several threads bring news,
	 * and one of them may come late.
	 */
	private void tell(LockState news) {
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
	 * The first of the state actions.
	 */
	private void stateChanged(LockState state) {
		if (state != LockState.LOST) {
			return;
		}
		this.bodies.interrupt();
		if (this.takenAway) {
			return;
		}
		if (this.kept != null) {
			this.heldLocks.logLostWhileKept(this);
			this.listeners.tell((listener) -> listener.onLost(this.shown));
			endKept();
			return;
		}
		this.heldLocks.logLost(this);
		this.listeners.tell((listener) -> listener.onLost(this.shown));
	}

	/**
	 * End this hold if its thread cannot, because it waits for the shutdown or has ended.
	 * Its handles are told of a loss, but no lock is lost: this instance gives it up.
	 */
	void endIfStuck() {
		String reason = this.holder.reasonNotToWait();
		if (reason != null && this.handles.getAndSet(0) > 0) {
			logger.warn(
					"Lock %s is released at shutdown, because thread '%s', which has held it since %s, %s. It was acquired at %s"
						.formatted(this.grant.id(), this.holder.name(), this.acquiredAt, reason, this.holder.site()));
			this.takenAway = true;
			end(false, false);
			this.stateActions.tellLast(LockState.LOST, Actions::onThreadOfItsOwn);
		}
	}

	/**
	 * Say once if the thread of this hold has ended without releasing it.
	 */
	void warnIfLeaked() {
		if (this.holder.hasLeaked() && !this.leakTold) {
			this.leakTold = true;
			logger.warn(
					"Lock %s stays held, because thread '%s', which has held it since %s, has ended without releasing it. It was acquired at %s. Close its handle in a try-with-resources statement, or call detach() before it goes to another thread"
						.formatted(this.grant.id(), this.holder.name(), this.acquiredAt, this.holder.site()));
		}
	}

	private void overdue() {
		if (hasEnded()) {
			return;
		}
		if (this.request.onLoss() == LossPolicy.INTERRUPT) {
			this.bodies.interruptNowOrAtTheBeginning();
		}
		logger
			.warn("Lock %s is held by thread '%s' since %s, longer than the %s it asked for; it stays held. It is at%s"
				.formatted(this.grant.id(), this.holder.name(), this.acquiredAt, this.request.maxHold(),
						this.holder.stackTrace()));
		this.listeners.tell((listener) -> listener.onOverdue(this.shown, held()));
	}

	/**
	 * Pass on that an operator asks for the lock: to the actions of the holder once, and
	 * to the listeners each time. A lock without a holder is given up.
	 */
	void requestRevocation(RevocationRequest request) {
		logger.warn("%s asks for lock %s to be given up, which thread '%s' has held since %s with token %d. %s"
			.formatted(request.requestedBy(), this.grant.id(), this.holder.name(), this.acquiredAt,
					this.grant.fencingToken(), (this.kept != null) ? "That thread has ended it, so it is released now"
							: "It stays held until that thread ends it"));
		this.revocationActions.tellLast(request);
		this.listeners.tell((listener) -> listener.onRevocationRequested(this.shown, request));
		endKept();
	}

	void throwIfLost() {
		if (isLost()) {
			throw Failures.lost(this.outermost);
		}
	}

	boolean isInTheWayOf(LockRequest other) {
		return this.grant.id().equals(other.id()) && this.grant.mode().excludes(other.mode());
	}

	/**
	 * Return whether its own thread needs no more than this hold for what it asks for.
	 */
	boolean covers(LockRequest other) {
		return this.grant.id().equals(other.id())
				&& (this.grant.mode() == LockMode.EXCLUSIVE || !this.grant.mode().excludes(other.mode()));
	}

	String heldBy() {
		return KeptHold.describe(this.kept, this.holder);
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

	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	private Duration held() {
		return Duration.ofNanos(this.heldLocks.time().nanoTime() - this.grantedAt);
	}

	LockSnapshot snapshot(boolean withStack) {
		KeptHold kept = this.kept;
		List<StackTraceElement> stack = withStack ? this.holder.stack() : List.of();
		return new LockSnapshot(this.grant.id(), this.grant.mode(), this.grant.fencingToken(), this.grant.isValid(),
				this.grant.handoff(), this.holder.name(), this.acquiredAt, stack, (kept != null) ? kept.until() : null);
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

	/**
	 * Return whether this hold is lost, also if the news is still on its way.
	 */
	boolean isLost() {
		return this.stateActions.knowsLast() || this.grant.isLost();
	}

}
