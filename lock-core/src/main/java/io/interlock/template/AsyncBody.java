package io.interlock.template;

import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * The action of an asynchronous acquisition, from its grant to the end of its work.
 * Invariant: it is taken once, by the thread that runs it or by the first reason not to,
 * which gives the hold back; so nothing that is told of a rejection, or of a caller that
 * gives up, ends the hold of work that has begun. The hold lasts as long as the work,
 * whatever becomes of the result: a stage that is cancelled is done while its work may go
 * on, so the handle tells the work of a cancellation, and the work ends it.
 */
final class AsyncBody<T extends @Nullable Object> {

	private static final boolean CONTEXT_PROPAGATION_PRESENT = ClassUtils
		.isPresent("io.micrometer.context.ContextSnapshotFactory", AsyncBody.class.getClassLoader());

	private final Function<LockHandle, ? extends CompletionStage<T>> action;

	private final AtomicReference<@Nullable Runnable> untaken = new AtomicReference<>();

	private final Runnable beginning;

	private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	/** Create a body on the thread that asks for the lock, whose context it has. */
	AsyncBody(Function<LockHandle, ? extends CompletionStage<T>> action, TaskDecorator bodies) {
		this.action = action;
		this.beginning = bodies.decorate(() -> Optional.ofNullable(take()).ifPresent(Runnable::run));
	}

	static TaskDecorator on(@Nullable Executor executor) {
		TaskDecorator context = CONTEXT_PROPAGATION_PRESENT ? new ContextPropagatingTaskDecorator() : (body) -> body;
		return (executor == null) ? context : (body) -> {
			Runnable inContext = context.decorate(body);
			return () -> executor.execute(inContext);
		};
	}

	private @Nullable Runnable take() {
		return this.untaken.getAndSet(null);
	}

	/** Begin the action on a thread for actions, or give the hold back. */
	void begin(HoldHandle handle, CompletableFuture<T> result) {
		this.untaken.set(() -> run(handle, result));
		result.whenComplete((value, failure) -> {
			if (take() != null) {
				AsyncThreads.execute(handle::giveBack);
			}
		});
		AsyncThreads.act(() -> begin(result, handle::giveBack));
	}

	private void begin(CompletableFuture<T> result, Runnable giveBack) {
		ClassLoader ofThread = ClassUtils.overrideThreadContextClassLoader(this.classLoader);
		try {
			this.beginning.run();
		}
		catch (RuntimeException | Error ex) {
			if (take() == null) {
				throw ex;
			}
			giveBack.run();
			result.completeExceptionally(ex);
		}
		finally {
			if (ofThread != null) {
				Thread.currentThread().setContextClassLoader(ofThread);
			}
		}
	}

	private void run(HoldHandle handle, CompletableFuture<T> result) {
		if (result.isDone()) {
			handle.giveBack();
			return;
		}
		handle.hold().holder().worksFor(result);
		try {
			CompletionStage<T> work = beginHere(handle);
			work.whenComplete((value, failure) -> endOnAnyThread(handle, value, failure, result));
		}
		catch (Throwable ex) {
			end(handle, null, ex, result);
		}
	}

	private CompletionStage<T> beginHere(HoldHandle handle) {
		Deque<HoldHandle> handlesOfThread = LockContext.handlesOfThisThread();
		handlesOfThread.addLast(handle);
		try {
			CompletionStage<T> work = this.action.apply(handle);
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
		LockLostException loss;
		try {
			loss = BodyEnd.of(handle, failure == null);
		}
		catch (Throwable ex) {
			AsyncThreads.answer(() -> result.completeExceptionally(ex));
			throw ex;
		}
		if (failure == null && loss == null) {
			AsyncThreads.answer(() -> result.complete(value));
			return;
		}
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause != null && loss != null && !(cause instanceof LockLostException)) {
			cause.addSuppressed(loss);
		}
		Throwable reason = (cause != null) ? cause : loss;
		AsyncThreads.answer(() -> result.completeExceptionally(reason));
	}

}
