package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.faults.check.Outcome;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueSnapshot;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockHandles;
import io.interlock.template.LockSettings;
import io.interlock.template.LockSnapshot;
import io.interlock.template.LockTemplate;

/**
 * A template, and the local queue in front of a provider: what an application has on any
 * store.
 */
abstract class TemplateLocks implements Locks {

	private final QueueingLockProvider queue;

	private final LockTemplate template;

	private final HeldLocks heldLocks = new HeldLocks();

	private final Map<LockAttempt, LockRequest> attempts = new ConcurrentHashMap<>();

	TemplateLocks(LockProvider provider, QueueSettings queue) {
		this.queue = new QueueingLockProvider(noting(provider), queue);
		this.template = new LockTemplate(this.queue,
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), Duration.ofSeconds(1)),
				this.heldLocks, List.of());
	}

	/**
	 * Note the attempts, so that it can be told what a fault came across.
	 */
	private LockProvider noting(LockProvider provider) {
		return (request, owner) -> {
			LockAttempt attempt = provider.attempt(request, owner);
			this.attempts.put(attempt, request);
			attempt.outcome().whenComplete((handle, failure) -> this.attempts.remove(attempt));
			return attempt;
		};
	}

	@Override
	public final Answer acquire(String key, boolean shared, Duration wait) {
		LockRequest request = shared ? LockRequest.shared(key) : LockRequest.exclusive(key);
		return acquire(() -> Answer.acquired(new Hold(this.template.acquire(request.withWaitTime(wait)))),
				Answer::without);
	}

	@Override
	public final GroupAnswer acquireAll(List<String> keys, Duration wait) {
		List<LockRequest> requests = keys.stream().map((key) -> LockRequest.exclusive(key).withWaitTime(wait)).toList();
		return acquire(() -> group(this.template.acquireAll(requests)), GroupAnswer::without);
	}

	private static GroupAnswer group(LockHandles handles) {
		Map<String, Held> held = handles.handles()
			.stream()
			.collect(Collectors.toMap((handle) -> handle.id().name(), Hold::new));
		return new GroupAnswer(Outcome.ACQUIRED, held, handles::close);
	}

	private static <T> T acquire(Supplier<T> acquired, Function<Outcome, T> without) {
		try {
			return acquired.get();
		}
		catch (LockNotAcquiredException ex) {
			return without.apply(Outcome.CONTENDED);
		}
		catch (LockServiceUnavailableException ex) {
			return without.apply(Outcome.UNAVAILABLE);
		}
		catch (LockLostException ex) {
			// Lost before it could be handed out.
			return without.apply(Outcome.UNAVAILABLE);
		}
		catch (LockInterruptedException ex) {
			return without.apply(Outcome.INTERRUPTED);
		}
	}

	final LockTemplate template() {
		return this.template;
	}

	final LockProvider provider() {
		return this.queue;
	}

	@Override
	public final int creating() {
		return (int) this.attempts.keySet().stream().filter((attempt) -> attempt.phase() == Phase.CREATING).count();
	}

	@Override
	public final List<String> belief(String key) {
		Stream<String> attempts = this.attempts.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().id().name().equals(key))
			.map((entry) -> "attempt in phase " + entry.getKey().phase());
		Stream<String> queues = this.queue.queues()
			.stream()
			.filter((queue) -> queue.id().name().equals(key))
			.map(QueueSnapshot::toString);
		Stream<String> holds = Stream.concat(this.heldLocks.held().stream(), this.heldLocks.waiting().stream())
			.filter((lock) -> lock.id().name().equals(key))
			.map(LockSnapshot::toString);
		return Stream.of(attempts, queues, holds).flatMap((lines) -> lines).toList();
	}

	/**
	 * Refuse new holds.
	 */
	final void stopHolding() {
		this.heldLocks.stop();
	}

	/**
	 * A handle, and when a loss was told.
	 */
	private static final class Hold implements Held {

		private final LockHandle handle;

		private final AtomicLong lostAt = new AtomicLong(Long.MAX_VALUE);

		Hold(LockHandle handle) {
			this.handle = handle;
			handle.onLoss(() -> this.lostAt.set(System.nanoTime()));
		}

		@Override
		public long token() {
			return this.handle.fencingToken();
		}

		@Override
		public boolean isValid() {
			return this.handle.isValid();
		}

		@Override
		public long lostAt() {
			if (this.handle.isLost()) {
				// A loss that the release finds is not told to a handle that is closed.
				this.lostAt.compareAndSet(Long.MAX_VALUE, System.nanoTime());
			}
			return this.lostAt.get();
		}

		@Override
		public void close() {
			this.handle.close();
		}

	}

}
