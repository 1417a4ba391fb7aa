package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that no thread waits for. Its steps run on threads that may block, apart
 * from the first one. A caller that completes the result gives it up. Invariant: the
 * result is completed once, on such a thread, by a hold that is valid or by a failure.
 */
final class AsyncAcquisition<T extends @Nullable Object> extends Acquisition {

	private final BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer;

	private final LockCaller caller = LockCaller.current();

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private AsyncAcquisition(LockRequest request, TemplateParts parts,
			BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer) {
		super(request, parts, parts.firstAnswers().tryTimeout(request), false);
		this.answer = answer;
	}

	static CompletableFuture<LockHandle> acquire(LockRequest request, TemplateParts parts) {
		return start(request, parts,
				(acquisition, handle) -> acquisition.handOver(handle, acquisition.orElseThrow(handle).handedOut()));
	}

	static CompletableFuture<Optional<LockHandle>> tryAcquire(LockRequest request, TemplateParts parts) {
		LockRequest unlessTold = (request.waitTime() != null) ? request : request.withWaitTime(Duration.ZERO);
		return start(unlessTold, parts,
				(acquisition, handle) -> acquisition.handOver(handle, handle.map(HoldHandle::handedOut)));
	}

	static <T extends @Nullable Object> CompletableFuture<T> start(LockRequest original, TemplateParts parts,
			BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer) {
		parts.check(original);
		LockSettings settings = parts.settings();
		LockRequest request = original.withWaitTime(settings.waitTime(original, settings.defaultWaitTime()));
		AsyncAcquisition<T> acquisition = new AsyncAcquisition<>(request, parts, answer);
		acquisition.result.whenComplete((value, failure) -> acquisition.giveUp());
		acquisition.tellWaiting();
		acquisition.start();
		return acquisition.result;
	}

	private void start() {
		try {
			goOn(step(this.caller));
		}
		catch (RuntimeException ex) {
			AsyncThreads.execute(() -> refuse(ex));
		}
		catch (Error ex) {
			// There may be no other thread to answer on.
			refuse(ex);
		}
	}

	private void step() {
		try {
			goOn(step(this.caller));
		}
		catch (Throwable ex) {
			refuse(ex);
		}
	}

	private void goOn(State next) {
		switch (next) {
			case WAIT -> await(begunAttempt());
			case ASK, LOOK -> later(this::step, pause());
			case ENDED -> answer();
		}
	}

	private static void later(Runnable step, long nanos) {
		AsyncThreads.schedule(() -> AsyncThreads.execute(step), nanos);
	}

	/** Take the next step when there is an outcome, or when none comes in time. */
	private void await(LockAttempt attempt) {
		CompletableFuture<Void> decided = new CompletableFuture<>();
		Runnable passed = () -> AsyncThreads.execute(() -> {
			deadlinePassed(attempt);
			decided.complete(null);
		});
		Future<?> deadline = this.parts.heldLocks().time().onDeadline(request(), attempt, passed, left());
		decided.thenRun(() -> {
			deadline.cancel(false);
			AsyncThreads.execute(this::step);
		});
		attempt.outcome().whenComplete((grant, failure) -> decided.complete(null));
	}

	@Override
	LockException givenUp(@Nullable RuntimeException failure) {
		return Failures.givenUp(request().id(), waited());
	}

	private void refuse(Throwable failure) {
		Throwable reason = failure;
		try {
			reason = fail(failure);
		}
		finally {
			complete(reason);
		}
	}

	private void complete(Throwable failure) {
		AsyncThreads.answer(() -> this.result.completeExceptionally(failure));
	}

	private void answer() {
		try {
			Hold hold = end(new Holder(thread(), null, this.caller.operator()));
			answer(Optional.ofNullable(hold).map(Hold::outermost));
		}
		catch (Throwable ex) {
			complete(ex);
		}
	}

	/** Answer as soon as the hold is valid, because no work begins in doubt. */
	private void answer(Optional<HoldHandle> handle) {
		try {
			if (handle.isPresent() && !this.result.isDone()) {
				Hold hold = handle.get().hold();
				if (!isSettled(hold.grant())) {
					later(() -> answer(handle), nanosToNextLook());
					return;
				}
				hold.throwIfLost();
			}
			this.answer.accept(this, handle);
		}
		catch (Throwable ex) {
			handle.ifPresent(HoldHandle::giveBack);
			complete(ex);
		}
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	private void handOver(Optional<HoldHandle> handle, T value) {
		AsyncThreads.answer(() -> {
			if (!this.result.complete(value)) {
				handle.ifPresent(HoldHandle::giveBack);
			}
		});
	}

	HoldHandle orElseThrow(Optional<HoldHandle> handle) {
		return handle.orElseThrow(() -> this.parts.heldLocks().refusal(this, waited()));
	}

}
