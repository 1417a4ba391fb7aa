package io.interlock.template;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.util.Assert;

/**
 * Acquires locks from a {@link LockProvider}. It adds the deadline, re-entrance, the
 * policies of a request, and the listeners. Immutable and safe for use by many threads.
 * <p>
 * Re-entrance is decided by thread and {@link io.interlock.LockId}: a thread that
 * requests a lock that it holds joins its own hold, also shared inside exclusive. The
 * hold ends when all its handles are closed, in any order and by any thread.
 * {@linkplain io.interlock.LockHandle#detach() Detach} a handle before it goes to another
 * thread, so that the first thread no longer joins the hold. Exclusive inside shared is
 * refused. What is acquired asynchronously belongs to no thread and is not joined, except
 * by an action of {@link #executeAsync} until it returns.
 *
 * @since 0.1.0
 */
public class LockTemplate implements LockOperations {

	private static final BiFunction<HoldHandle, Boolean, @Nullable LockLostException> END = BodyEnd::of;

	private static final BiFunction<HoldHandles, Boolean, @Nullable LockLostException> END_ALL = HoldHandles::endBody;

	private final TemplateParts parts;

	/** Create a template with default settings and without listeners. */
	public LockTemplate(LockProvider provider) {
		this(provider, LockSettings.defaults(), new HeldLocks(), List.of());
	}

	/** Create a template whose asynchronous actions begin on its own threads. */
	public LockTemplate(LockProvider provider, LockSettings settings, HeldLocks heldLocks,
			List<LockListener> listeners) {
		this(provider, settings, heldLocks, listeners, bodiesOn(null));
	}

	/**
	 * Create a template that controls how the actions of {@link #executeAsync} begin.
	 * @param provider where the locks come from
	 * @param settings how long to wait
	 * @param heldLocks registry of holds and waits; not shared with another template
	 * @param listeners called in this order
	 * @param bodies called on the thread that requests a lock; what it returns runs once
	 * the lock is held, and begins the action. If it fails before that, the lock is
	 * released
	 */
	public LockTemplate(LockProvider provider, LockSettings settings, HeldLocks heldLocks, List<LockListener> listeners,
			TaskDecorator bodies) {
		Assert.notNull(provider, "'provider' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(heldLocks, "'heldLocks' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		Assert.notNull(bodies, "'bodies' must not be null");
		this.parts = new TemplateParts(provider, settings, heldLocks, new LockListeners(listeners), bodies);
	}

	/**
	 * Return a decorator that begins actions with the context of the requesting thread,
	 * if {@code io.micrometer:context-propagation} is there.
	 * @param executor where they begin, or {@code null} for a thread of the template
	 */
	public static TaskDecorator bodiesOn(@Nullable Executor executor) {
		return AsyncBody.on(executor);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E {
		Assert.notNull(action, "'action' must not be null");
		return run(action::doInLock, END, open(request));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockCallback<T, E> action) throws E {
		Assert.notNull(action, "'action' must not be null");
		Body<HoldHandle, T, E> body = action::doInLock;
		HoldHandle handle = joinOrAcquire(request, Duration.ZERO);
		return (handle == null) ? LockOutcome.notAcquired() : LockOutcome.acquired(run(body, END, handle));
	}

	@Override
	public LockHandle acquire(LockRequest request) {
		return handOut(open(request));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.ofNullable(joinOrAcquire(request, Duration.ZERO)).map(this::handOut);
	}

	@Override
	public LockHandles acquireAll(Collection<LockRequest> requests) {
		return handOut(openAll(requests));
	}

	@Override
	public Optional<LockHandles> tryAcquireAll(Collection<LockRequest> requests) {
		return group(requests, Duration.ZERO).acquire().map(this::handOut);
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeAll(Collection<LockRequest> requests,
			LocksCallback<T, E> action) throws E {
		Assert.notNull(action, "'action' must not be null");
		return run(action::doInLocks, END_ALL, openAll(requests));
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecuteAll(
			Collection<LockRequest> requests, LocksCallback<T, E> action) throws E {
		Assert.notNull(action, "'action' must not be null");
		Body<HoldHandles, T, E> body = action::doInLocks;
		HoldHandles handles = group(requests, Duration.ZERO).acquire().orElse(null);
		return (handles == null) ? LockOutcome.notAcquired() : LockOutcome.acquired(run(body, END_ALL, handles));
	}

	/**
	 * Run a body and end it. The caller hears of a failure rather than of a loss. Both
	 * functions are there before the lock is held, so no error comes between.
	 */
	private static <H, T extends @Nullable Object, E extends Throwable> T run(Body<H, T, E> body,
			BiFunction<H, Boolean, @Nullable LockLostException> end, H held) throws E {
		T result;
		try {
			result = body.run(held);
		}
		catch (Throwable failure) {
			try {
				LockLostException loss = end.apply(held, false);
				if (loss != null && !(failure instanceof LockLostException)) {
					failure.addSuppressed(loss);
				}
			}
			catch (RuntimeException | Error ex) {
				failure.addSuppressed(ex);
			}
			throw failure;
		}
		LockLostException loss = end.apply(held, true);
		if (loss != null) {
			throw loss;
		}
		return result;
	}

	private HoldHandles openAll(Collection<LockRequest> requests) {
		LockGroup group = group(requests, this.parts.settings().defaultWaitTime());
		return group.acquire().orElseThrow(group::notAcquired);
	}

	private LockGroup group(Collection<LockRequest> requests, Duration defaultWaitTime) {
		return new LockGroup(requests, defaultWaitTime, this.parts);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return AsyncAcquisition.acquire(request, this.parts);
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return AsyncAcquisition.tryAcquire(request, this.parts);
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action) {
		Assert.notNull(request, "'request' must not be null");
		Assert.notNull(action, "'action' must not be null");
		AsyncBody<T> body = new AsyncBody<>(action, this.parts.bodies());
		return AsyncAcquisition.start(request, this.parts,
				(acquisition, handle) -> body.begin(acquisition.orElseThrow(handle), acquisition.result()));
	}

	@Override
	public Lock asLock(LockRequest request) {
		Assert.notNull(request, "'request' must not be null");
		return new TemplateLock(request, (asked) -> watched(open(asked)),
				(asked) -> Optional.ofNullable(joinOrAcquire(asked, Duration.ZERO)).map(this::watched));
	}

	private LockHandles handOut(HoldHandles handles) {
		try {
			handles.inOrder().forEach(this::handOut);
			return handles;
		}
		catch (RuntimeException | Error ex) {
			handles.close();
			throw ex;
		}
	}

	private LockHandle handOut(HoldHandle handle) {
		return watched(handle).handedOut();
	}

	/** Expect that a handle may outlive the calling method, and its thread. */
	private HoldHandle watched(HoldHandle handle) {
		try {
			if (this.parts.settings().leakDetection()) {
				handle.hold().holder().acquireHere();
			}
			this.parts.heldLocks().watchForLeaks();
			return handle;
		}
		catch (RuntimeException | Error ex) {
			handle.close();
			throw ex;
		}
	}

	private HoldHandle open(LockRequest request) {
		BlockingAcquisition acquisition = acquisition(request, this.parts.settings().defaultWaitTime());
		HoldHandle handle = joinOrAcquire(request, acquisition);
		if (handle == null) {
			throw this.parts.heldLocks().refusal(acquisition, acquisition.waited());
		}
		return handle;
	}

	private @Nullable HoldHandle joinOrAcquire(LockRequest request, Duration defaultWaitTime) {
		return joinOrAcquire(request, acquisition(request, defaultWaitTime));
	}

	private BlockingAcquisition acquisition(LockRequest request, Duration defaultWaitTime) {
		Assert.notNull(request, "'request' must not be null");
		return new BlockingAcquisition(request.withWaitTime(this.parts.settings().waitTime(request, defaultWaitTime)),
				this.parts);
	}

	private @Nullable HoldHandle joinOrAcquire(LockRequest request, BlockingAcquisition acquisition) {
		HoldHandle joined = LockContext.join(request, this.parts.heldLocks());
		if (joined != null) {
			return begun(joined, acquisition);
		}
		this.parts.staleReads().check(request);
		Hold hold = acquisition.acquire(null);
		return (hold != null) ? begun(hold.outermost(), acquisition) : null;
	}

	private HoldHandle begun(HoldHandle handle, BlockingAcquisition acquisition) {
		try {
			acquisition.settle(handle.hold());
			TransactionHold.begin(handle, acquisition.request());
			return handle.beginBody();
		}
		catch (RuntimeException | Error ex) {
			handle.giveBack();
			throw ex;
		}
	}

	private interface Body<H, T extends @Nullable Object, E extends Throwable> {

		T run(H held) throws E;

	}

}
