package io.interlock.actuate.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.interlock.LockMode;
import io.interlock.LockOperator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.RunRecords.Run;
import io.interlock.queue.QueueSnapshot;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;
import org.springframework.util.Assert;

/**
 * {@link Endpoint @Endpoint} to show the locks that this JVM holds and waits for, without
 * I/O, and at {@code runs} the last runs of jobs. Its extensions show the locks of all
 * clients.
 *
 * @since 0.1.0
 * @see LocksEndpointWebExtension
 * @see JmxExtension
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final int DEFAULT_LIMIT = 500;

	private static final int MAX_LIMIT = 10_000;

	private static final int MAX_STACKS = 100;

	private static final int MAX_FRAMES = 100;

	private final HeldLocks locks;

	private final Supplier<List<QueueSnapshot>> queues;

	private final Supplier<Map<String, Long>> leading;

	private final Supplier<@Nullable LockCapabilities> capabilities;

	private final Supplier<List<Run>> runs;

	/** Create an endpoint for this JVM, and for the last runs of jobs in any JVM. */
	public LocksEndpoint(HeldLocks locks, Supplier<List<QueueSnapshot>> queues, Supplier<Map<String, Long>> leading,
			Supplier<@Nullable LockCapabilities> capabilities, Supplier<List<Run>> runs) {
		Assert.notNull(locks, "'locks' must not be null");
		Assert.notNull(queues, "'queues' must not be null");
		Assert.notNull(leading, "'leading' must not be null");
		Assert.notNull(capabilities, "'capabilities' must not be null");
		Assert.notNull(runs, "'runs' must not be null");
		this.locks = locks;
		this.queues = queues;
		this.leading = leading;
		this.capabilities = capabilities;
		this.runs = runs;
	}

	/** Return the locks that this JVM holds and waits for, oldest first. */
	@ReadOperation
	public LocksDescriptor locks(@Nullable String name, @Nullable Boolean stacks, @Nullable Integer limit) {
		boolean withStacks = Boolean.TRUE.equals(stacks);
		int shown = valid(() -> checkLimit(limit, withStacks));
		List<LockSnapshot> held = select(this.locks.held(), name).toList();
		List<LockSnapshot> waiting = select(this.locks.waiting(), name).toList();
		return new LocksDescriptor(new CountsDescriptor(held.size(), waiting.size()), shown,
				(withStacks ? this.locks.heldWithStacks(name, shown) : held).stream()
					.limit(shown)
					.map((lock) -> HeldLockDescriptor.of(lock, withStacks))
					.toList(),
				waiting.stream().limit(shown).map(WaitingLockDescriptor::of).toList(), idle(name, shown),
				(name == null) ? leading() : null, (name == null) ? this.capabilities.get() : null);
	}

	/** Return the last run of each job, for the view {@code runs}. */
	@ReadOperation
	public @Nullable RunsDescriptor runs(@Selector String view) {
		return view.equals("runs") ? new RunsDescriptor(this.runs.get()) : null;
	}

	private @Nullable Map<String, Long> leading() {
		Map<String, Long> elections = this.leading.get();
		return elections.isEmpty() ? null : elections;
	}

	private @Nullable List<IdleLockDescriptor> idle(@Nullable String name, int shown) {
		List<IdleLockDescriptor> idle = this.queues.get()
			.stream()
			.filter((queue) -> queue.idle() && (name == null || name.equals(queue.id().name())))
			.limit(shown)
			.map(IdleLockDescriptor::of)
			.toList();
		return idle.isEmpty() ? null : idle;
	}

	private static int checkLimit(@Nullable Integer limit, boolean withStacks) {
		if (limit == null) {
			return withStacks ? MAX_STACKS : DEFAULT_LIMIT;
		}
		Assert.isTrue(limit >= 0, () -> "'limit' must not be negative: " + limit);
		int max = withStacks ? MAX_STACKS : MAX_LIMIT;
		Assert.isTrue(limit <= max,
				() -> "'limit' must be at most %d%s: %d".formatted(max, withStacks ? " with stacks" : "", limit));
		return limit;
	}

	private static <T extends @Nullable Object> T valid(Supplier<T> parameter) {
		try {
			return parameter.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			throw new InvalidEndpointRequestException(message, message, ex);
		}
	}

	private static Stream<LockSnapshot> select(List<LockSnapshot> locks, @Nullable String name) {
		return locks.stream().filter((lock) -> name == null || name.equals(lock.id().name()));
	}

	/** Describes the locks of this JVM; {@code idle} are kept for its next thread. */
	public record LocksDescriptor(CountsDescriptor counts, int limit, List<HeldLockDescriptor> held,
			List<WaitingLockDescriptor> waiting, @Nullable List<IdleLockDescriptor> idle,
			@Nullable Map<String, Long> leading,
			@Nullable LockCapabilities capabilities) implements OperationResponseBody {

	}

	/** Description of the last runs of jobs. */
	public record RunsDescriptor(List<Run> runs) implements OperationResponseBody {

	}

	/** Description of numbers of locks. */
	public record CountsDescriptor(int held, int waiting) {

	}

	/** Describes a hold; {@code keptUntil} is the end of its minimum hold time. */
	public record HeldLockDescriptor(String name, @Nullable String key, @Nullable String provider, LockMode mode,
			@Nullable Long token, boolean valid, @Nullable Integer handoff, String thread, Instant since,
			@Nullable Instant keptUntil, @Nullable String heldByOperator, @Nullable String reason,
			@Nullable List<String> stack) implements OperationResponseBody {

		static HeldLockDescriptor of(LockSnapshot lock, boolean withStack) {
			LockOperator operator = lock.operator();
			return new HeldLockDescriptor(lock.id().name(), lock.id().key(), lock.id().provider(), lock.mode(),
					lock.token(), lock.valid(), lock.handoff(), lock.thread(), lock.since(), lock.keptUntil(),
					(operator != null) ? operator.name() : null, (operator != null) ? operator.reason() : null,
					withStack ? frames(lock) : null);
		}

		private static List<String> frames(LockSnapshot lock) {
			return lock.stack().stream().limit(MAX_FRAMES).map(StackTraceElement::toString).toList();
		}

	}

	/** Description of a lock that this JVM keeps. */
	public record IdleLockDescriptor(String name, @Nullable String key, @Nullable String provider,
			@Nullable Long token) {

		static IdleLockDescriptor of(QueueSnapshot queue) {
			return new IdleLockDescriptor(queue.id().name(), queue.id().key(), queue.id().provider(), queue.token());
		}

	}

	/** Description of a wait. */
	public record WaitingLockDescriptor(String name, @Nullable String key, @Nullable String provider, LockMode mode,
			String thread, Instant since) {

		static WaitingLockDescriptor of(LockSnapshot lock) {
			return new WaitingLockDescriptor(lock.id().name(), lock.id().key(), lock.id().provider(), lock.mode(),
					lock.thread(), lock.since());
		}

	}

	/** Describes the locks of all clients like a {@link LockInspector.Page}. */
	public record ClusterLocksDescriptor(String keptIn, Instant readAt, int total, int offset, int limit,
			int queueLimit, List<QueuedLock> locks) implements OperationResponseBody {

		static LockInspector.Query query(@Nullable String name, @Nullable String key, @Nullable Boolean busy,
				@Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
			return new LockInspector.Query(name, key, Boolean.TRUE.equals(busy), Objects.requireNonNullElse(offset, 0),
					Objects.requireNonNullElse(limit, 100),
					Objects.requireNonNullElse(queueLimit, (name != null) ? 100 : 10));
		}

		static ClusterLocksDescriptor read(LockInspector inspector, LockInspector.Query query) {
			LockInspector.Page page = inspector.locks(query);
			return new ClusterLocksDescriptor(page.keptIn(), page.readAt(), page.total(), page.offset(), page.limit(),
					page.queueLimit(), page.locks());
		}

	}

	/** Shows the locks of all clients over JMX. */
	@EndpointJmxExtension(endpoint = LocksEndpoint.class)
	public static class JmxExtension {

		private final Function<@Nullable String, @Nullable LockInspector> inspectors;

		/** Create an extension, as {@link LocksEndpointWebExtension} does. */
		public JmxExtension(Function<@Nullable String, @Nullable LockInspector> inspectors) {
			Assert.notNull(inspectors, "'inspectors' must not be null");
			this.inspectors = inspectors;
		}

		/** Return the locks, as {@link LocksEndpointWebExtension#locks} does. */
		@ReadOperation
		public ClusterLocksDescriptor clusterLocks(@Nullable String name, @Nullable String key,
				@Nullable String provider, @Nullable Boolean busy, @Nullable Integer offset, @Nullable Integer limit,
				@Nullable Integer queueLimit) {
			LockInspector inspector = valid(() -> this.inspectors.apply(provider));
			Assert.state(inspector != null,
					() -> "Provider '%s' cannot list the holders of its locks".formatted(provider));
			return ClusterLocksDescriptor.read(inspector,
					valid(() -> ClusterLocksDescriptor.query(name, key, busy, offset, limit, queueLimit)));
		}

	}

}
