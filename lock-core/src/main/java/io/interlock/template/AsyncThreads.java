package io.interlock.template;

import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * The threads of asynchronous acquisitions, and of news that must not block its sender.
 * They serve the whole JVM; all are daemons and end when idle. Invariant: nothing on the
 * one thread of the timer blocks or calls the application, so that no deadline waits for
 * another; what may block has up to 64 threads, and waits when all of them are busy. A
 * thread that waits for a {@link java.util.concurrent.CompletableFuture} is replaced
 * meanwhile, if it is the last one.
 */
final class AsyncThreads {

	private static final Log logger = LogFactory.getLog(AsyncThreads.class);

	private static final int THREADS = 64;

	private static final int REPLACEMENTS = 192;

	private static final long IDLE_SECONDS = 10;

	private static final AtomicLong NUMBERS = new AtomicLong();

	static final Timer TIMER = new Timer();

	private static final ForkJoinPool POOL = new ForkJoinPool(THREADS, AsyncThreads::newWorker, null, true, 0,
			THREADS + REPLACEMENTS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);

	private AsyncThreads() {
	}

	private static ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
		ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
		thread.setName("interlock-async-" + NUMBERS.incrementAndGet());
		// The default one does not see the classes of an executable jar.
		thread.setContextClassLoader(AsyncThreads.class.getClassLoader());
		return thread;
	}

	/** Run a task that may block, as soon as there is a thread for it. */
	static void execute(Runnable task) {
		FutureTask<?> once = new FutureTask<>(() -> run(task), null);
		try {
			POOL.execute(once);
		}
		catch (OutOfMemoryError ex) {
			executeLater(once);
		}
	}

	/** The pool keeps the task, and any call may start a thread: it must run once. */
	private static void executeLater(FutureTask<?> once) {
		try {
			TIMER.schedule(() -> execute(once), 1, TimeUnit.SECONDS);
		}
		catch (OutOfMemoryError ex) {
			// The timer has queued it too.
		}
	}

	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A task of an asynchronous acquisition failed; no other is affected", ex);
		}
	}

	/** The task must not block. Without a thread throws {@link OutOfMemoryError}. */
	static Future<?> schedule(Runnable task, long nanos) {
		TIMER.prestartCoreThread();
		return TIMER.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
	}

	/** A daemon thread of the JVM. Nothing on it blocks or calls the application. */
	static final class Timer extends ScheduledThreadPoolExecutor {

		private volatile boolean lacksThread;

		Timer() {
			super(1, (runnable) -> {
				Thread thread = new Thread(runnable, "interlock-timer");
				thread.setDaemon(true);
				return thread;
			});
			setKeepAliveTime(10, TimeUnit.SECONDS);
			allowCoreThreadTimeOut(true);
			setRemoveOnCancelPolicy(true);
		}

		/** Without a thread it returns {@code null}; a later call starts the task. */
		@Nullable Future<?> after(long nanos, Runnable task) {
			try {
				return schedule(task, nanos, TimeUnit.NANOSECONDS);
			}
			catch (OutOfMemoryError ex) {
				this.lacksThread = true;
				return null;
			}
		}

		void resume() {
			if (this.lacksThread) {
				this.lacksThread = false;
				try {
					prestartCoreThread();
				}
				catch (OutOfMemoryError ex) {
					this.lacksThread = true;
				}
			}
		}

	}

	/**
	 * The action of an asynchronous acquisition, from its grant to the end of its work.
	 * Invariant: it is taken once, by the thread that runs it or by the first reason not
	 * to, which gives the hold back; so nothing that is told of a rejection, or of a
	 * caller that gives up, ends the hold of work that has begun. The hold lasts as long
	 * as the work, whatever becomes of the result: a stage that is cancelled is done
	 * while its work may go on, so the handle tells the work of a cancellation, and the
	 * work ends it.
	 */
	static final class Body<T extends @Nullable Object> {

		private static final boolean CONTEXT_PROPAGATION_PRESENT = ClassUtils
			.isPresent("io.micrometer.context.ContextSnapshotFactory", AsyncThreads.class.getClassLoader());

		private final Function<LockHandle, ? extends CompletionStage<T>> action;

		private final AtomicReference<@Nullable Runnable> untaken = new AtomicReference<>();

		private final Runnable beginning;

		/** Create a body on the thread that asks for the lock, whose context it has. */
		Body(Function<LockHandle, ? extends CompletionStage<T>> action, TaskDecorator bodies) {
			this.action = action;
			this.beginning = bodies.decorate(() -> Optional.ofNullable(take()).ifPresent(Runnable::run));
		}

		static TaskDecorator on(@Nullable Executor executor) {
			TaskDecorator context = CONTEXT_PROPAGATION_PRESENT ? new ContextPropagatingTaskDecorator()
					: (body) -> body;
			return (executor == null) ? context : (body) -> {
				Runnable inContext = context.decorate(body);
				return () -> executor.execute(inContext);
			};
		}

		private @Nullable Runnable take() {
			return this.untaken.getAndSet(null);
		}

		/** Begin the action. If this throws, the caller gives the hold back. */
		void begin(HoldHandle handle, CompletableFuture<T> result) {
			this.untaken.set(() -> run(handle, result));
			result.whenComplete((value, failure) -> {
				if (take() != null) {
					execute(handle::giveBack);
				}
			});
			try {
				this.beginning.run();
			}
			catch (RuntimeException | Error ex) {
				if (take() != null) {
					throw ex;
				}
				AsyncThreads.run(() -> {
					throw ex;
				});
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
				execute(() -> end(handle, value, failure, result));
			}
		}

		private static <T extends @Nullable Object> void end(HoldHandle handle, @Nullable T value,
				@Nullable Throwable failure, CompletableFuture<T> result) {
			LockLostException loss;
			try {
				loss = handle.endBody(failure == null);
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
				throw ex;
			}
			if (failure == null && loss == null) {
				result.complete(value);
				return;
			}
			Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure;
			if (cause != null && loss != null && !(cause instanceof LockLostException)) {
				cause.addSuppressed(loss);
			}
			result.completeExceptionally((cause != null) ? cause : loss);
		}

	}

}
