package io.interlock.template;

import java.time.Duration;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Implements the asynchronous methods of {@link LockTemplate}. A future completed by its
 * caller gives up. The listeners hear exactly one answer to each {@code onWaiting}.
 * Immutable and safe for use by many threads.
 */
final class AsyncLocks {

	private final LockProvider provider;

	private final LockSettings settings;

	private final HeldLocks heldLocks;

	private final LockListeners listeners;

	AsyncLocks(LockProvider provider, LockSettings settings, HeldLocks heldLocks, LockListeners listeners) {
		this.provider = provider;
		this.settings = settings;
		this.heldLocks = heldLocks;
		this.listeners = listeners;
	}

	CompletableFuture<LockHandle> acquire(LockRequest request) {
		return start(request, (handle, waited, result) -> {
			if (!result.complete(orElseThrow(handle, request, waited).handedOut())) {
				handle.ifPresent(HoldHandle::giveBack);
			}
		});
	}

	CompletableFuture<Optional<LockHandle>> tryAcquire(LockRequest request) {
		LockRequest unlessTold = (request.waitTime() != null) ? request : request.withWaitTime(Duration.ZERO);
		return start(unlessTold, (handle, waited, result) -> {
			if (!result.complete(handle.map(HoldHandle::handedOut))) {
				handle.ifPresent(HoldHandle::giveBack);
			}
		});
	}

	<T extends @Nullable Object> CompletableFuture<T> execute(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		return start(request, (handle, waited, result) -> run(orElseThrow(handle, request, waited), action, result));
	}

	private HoldHandle orElseThrow(Optional<HoldHandle> handle, LockRequest request, Duration waited) {
		return handle
			.orElseThrow(() -> Failures.notAcquired(request.id(), waited, this.heldLocks.holderBefore(request)));
	}

	private <T extends @Nullable Object> CompletableFuture<T> start(LockRequest original, Answer<T> answer) {
		this.provider.capabilities().check(original);
		LockRequest request = original.withWaitTime(this.settings.waitTime(original, this.settings.defaultWaitTime()));
		AsyncAcquisition acquisition = new AsyncAcquisition(request, this.settings.tryTimeout(), this.heldLocks,
				this.provider);
		CompletableFuture<T> result = new CompletableFuture<>();
		acquisition.answer().whenComplete((grant, failure) -> {
			try {
				answer(acquisition.acquisition(), handle(acquisition.acquisition(), grant, failure), answer, result);
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		result.whenComplete((value, failure) -> acquisition.giveUp());
		this.heldLocks.add(acquisition.acquisition());
		this.listeners.tell((listener) -> listener.onWaiting(request));
		acquisition.start();
		return result;
	}

	private Optional<HoldHandle> handle(Acquisition acquisition, @Nullable Optional<LockGrant> grant,
			@Nullable Throwable failure) {
		LockRequest request = acquisition.request();
		Duration waited = acquisition.waited();
		if (grant == null) {
			LockException reason = (failure instanceof LockException known) ? known
					: acquisition.failed((failure != null) ? failure : new IllegalStateException("No answer"));
			this.listeners.tell((listener) -> listener.onFailure(request, reason));
			this.heldLocks.remove(acquisition);
			throw reason;
		}
		if (grant.isEmpty()) {
			this.heldLocks.remove(acquisition);
			this.listeners.tell((listener) -> listener.onNotAcquired(request, waited));
			return Optional.empty();
		}
		try {
			return Optional.of(Hold.begin(acquisition, grant.get(), this.heldLocks, this.listeners,
					this.settings.releaseTimeout(), Holder.none(acquisition.thread()))
				.outermost());
		}
		finally {
			this.heldLocks.remove(acquisition);
		}
	}

	/** Answer as soon as the hold is valid, because no work begins in doubt. */
	private static <T extends @Nullable Object> void answer(Acquisition acquisition, Optional<HoldHandle> handle,
			Answer<T> answer, CompletableFuture<T> result) {
		try {
			if (handle.isPresent() && !result.isDone()) {
				Hold hold = handle.get().hold();
				if (!acquisition.isSettled(hold.grant())) {
					AsyncThreads.schedule(() -> AsyncThreads.execute(() -> answer(acquisition, handle, answer, result)),
							acquisition.nanosToNextLook());
					return;
				}
				hold.throwIfLost();
			}
			answer.take(handle, acquisition.waited(), result);
		}
		catch (Throwable ex) {
			handle.ifPresent(HoldHandle::giveBack);
			result.completeExceptionally(ex);
		}
	}

	/**
	 * Run an action, unless its caller has given up. The hold lasts as long as the work,
	 * whatever becomes of the result: a stage that is cancelled is done while its work
	 * may go on, so the handle tells the work of a cancellation, and the work ends it.
	 */
	private <T extends @Nullable Object> void run(HoldHandle handle,
			Function<LockHandle, ? extends CompletionStage<T>> action, CompletableFuture<T> result) {
		if (result.isDone()) {
			handle.giveBack();
			return;
		}
		handle.hold().holder().worksFor(result);
		try {
			CompletionStage<T> work = begin(handle, action);
			work.whenComplete((value, failure) -> endOnAnyThread(handle, value, failure, result));
		}
		catch (Throwable ex) {
			end(handle, null, ex, result);
		}
	}

	/** Begin the work; this thread's context has the handle until the action returns. */
	private static <T extends @Nullable Object> CompletionStage<T> begin(HoldHandle handle,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		Deque<HoldHandle> handlesOfThread = LockContext.handlesOfThisThread();
		handlesOfThread.addLast(handle);
		try {
			CompletionStage<T> work = action.apply(handle);
			Assert.state(work != null,
					() -> "The action under lock %s returned null. Return a CompletionStage that completes when its work is done"
						.formatted(handle.id()));
			return work;
		}
		finally {
			handlesOfThread.remove(handle);
		}
	}

	/** End the hold on the completing thread, or on one that may block if needed. */
	private static <T extends @Nullable Object> void endOnAnyThread(HoldHandle handle, T value,
			@Nullable Throwable failure, CompletableFuture<T> result) {
		if (handle.hold().endsAtOnce()) {
			end(handle, value, failure, result);
		}
		else {
			AsyncThreads.execute(() -> end(handle, value, failure, result));
		}
	}

	private static <T extends @Nullable Object> void end(HoldHandle handle, @Nullable T value,
			@Nullable Throwable failure, CompletableFuture<T> result) {
		LockLostException loss = handle.endBody(failure == null);
		if (failure == null && loss == null) {
			result.complete(value);
			return;
		}
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause != null && loss != null && !(cause instanceof LockLostException)) {
			cause.addSuppressed(loss);
		}
		result.completeExceptionally((cause != null) ? cause : loss);
	}

	@FunctionalInterface
	private interface Answer<T extends @Nullable Object> {

		void take(Optional<HoldHandle> handle, Duration waited, CompletableFuture<T> result);

	}

}
