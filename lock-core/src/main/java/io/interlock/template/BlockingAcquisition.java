package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import org.jspecify.annotations.Nullable;

/** An acquisition that its thread waits for. An interrupt gives it up. */
final class BlockingAcquisition extends Acquisition {

	BlockingAcquisition(LockRequest request, TemplateParts parts) {
		super(request, parts, tryTimeout(request, parts), true);
	}

	/** A thread that must not block does not wait for the first answer of a store. */
	private static Duration tryTimeout(LockRequest request, TemplateParts parts) {
		Duration ordinary = parts.settings().tryTimeout();
		Duration now = parts.firstAnswers().tryTimeout(request);
		return (now.compareTo(ordinary) > 0 && EventLoops.mustNotBlock(Thread.currentThread())) ? ordinary : now;
	}

	/** Return a new hold or {@code null}, with exactly one answer to the listeners. */
	@Nullable Hold acquire(@Nullable Ahead ahead) {
		if (!isForOthers() || !EventLoops.mustNotBlock(thread())) {
			return acquireNow(ahead);
		}
		Hold hold = new BlockingAcquisition(request().withWaitTime(Duration.ZERO), this.parts).acquireNow(ahead);
		if (hold != null) {
			return hold;
		}
		EventLoops.warnOfBlocking(this, this.parts.settings());
		return acquireNow(ahead);
	}

	private @Nullable Hold acquireNow(@Nullable Ahead ahead) {
		this.parts.check(request());
		LockCaller caller = LockCaller.current();
		Holder holder = new Holder(thread(), LockContext.handlesOfThisThread(), caller.operator());
		tellWaiting();
		try {
			if (isForOthers() && LockContext.holdsAny()) {
				this.parts.heldLocks().checkOrder(this);
			}
			await(ahead, caller);
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
			throw ex;
		}
		return end(holder);
	}

	private void await(@Nullable Ahead ahead, LockCaller caller) {
		if (ahead != null) {
			Optional.ofNullable(ahead.take(request().id())).ifPresent(this::beginWith);
		}
		for (State state = state(); state != State.ENDED; state = step(caller)) {
			if (ahead != null && state == State.ASK) {
				ahead.giveUp();
			}
			await(state, caller);
		}
	}

	private void await(State state, LockCaller caller) {
		try {
			if (state == State.WAIT) {
				this.parts.heldLocks().time().await(request(), begunAttempt(), left());
			}
			else {
				TimeUnit.NANOSECONDS.sleep(pause());
			}
		}
		catch (TimeoutException ex) {
			deadlinePassed(begunAttempt());
		}
		catch (InterruptedException ex) {
			try {
				giveUp();
				step(caller);
			}
			finally {
				Thread.currentThread().interrupt();
			}
		}
		catch (CancellationException | ExecutionException ex) {
			// The next step looks at the outcome.
		}
	}

	@Override
	LockException givenUp(@Nullable RuntimeException failure) {
		return Failures.interrupted(request().id(), waited(), failure);
	}

	/** Wait until a hold is valid or throw, because no body begins in doubt. */
	void settle(Hold hold) {
		try {
			while (!isSettled(hold.grant())) {
				TimeUnit.NANOSECONDS.sleep(nanosToNextLook());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			// The interrupt may be that of the loss itself.
			if (hold.grant().state() != LockState.LOST) {
				throw givenUp(null);
			}
		}
		hold.throwIfLost();
	}

}
