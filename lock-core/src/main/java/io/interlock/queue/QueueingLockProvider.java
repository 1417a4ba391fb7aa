package io.interlock.queue;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.internal.NearestName;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Lets the threads of this JVM queue for a lock among themselves. Only the first of them
 * contends at the provider behind this one. Its grant is handed from thread to thread, in
 * the order of arrival, until the grant is too old and other instances have their turn.
 * With a linger time a grant stays here after its last use, for the next thread that
 * asks, until another contender comes. Safe for use by many threads.
 * <p>
 * The way is that of cohort locks (Dice, Marathe and Shavit, "Lock Cohorting", PPoPP
 * 2012): handing over inside costs nothing outside, and a limit keeps it fair.
 *
 * @since 0.1.0
 */
public final class QueueingLockProvider implements LockProvider, AutoCloseable {

	/**
	 * Limit of the wait for the thread that answers. It needs microseconds, unless it
	 * died of an {@code Error}.
	 */
	private static final long DECISION_SECONDS = 1;

	private final LockProvider provider;

	/** The other providers by name, or {@code null} if one serves all requests. */
	private final @Nullable Map<String, LockProvider> named;

	private final QueueSettings settings;

	private final ConcurrentMap<LockId, LockQueue> queues = new ConcurrentHashMap<>();

	/** Put a queue in front of a provider. */
	public QueueingLockProvider(LockProvider provider, QueueSettings settings) {
		this(provider, null, settings);
	}

	/**
	 * Put queues in front of a default provider, and of others by their names.
	 * @param provider where the locks come from that name no provider
	 * @param named the others, or {@code null} if that one serves all names
	 * @param settings how to queue
	 */
	public QueueingLockProvider(LockProvider provider, @Nullable Map<String, LockProvider> named,
			QueueSettings settings) {
		Assert.notNull(provider, "'provider' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.provider = provider;
		this.named = (named != null) ? Map.copyOf(named) : null;
		this.settings = settings;
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		if (!this.settings.isEnabled(request.id().name())) {
			return provider(request.id()).attempt(request, caller);
		}
		return Duration.ZERO.equals(request.waitTime()) ? tryOnce(request, caller) : enqueue(request, caller);
	}

	@Override
	public LockCapabilities capabilities() {
		// A mock without stubs returns null.
		return Objects.requireNonNullElse(this.provider.capabilities(), LockCapabilities.ALL);
	}

	@Override
	public LockCapabilities capabilities(LockRequest request) {
		return Objects.requireNonNullElse(provider(request.id()).capabilities(request), LockCapabilities.ALL);
	}

	/**
	 * Return the provider behind this one that a lock comes from, past the queue.
	 * @throws IllegalArgumentException if the lock names one that is not known
	 */
	public LockProvider provider(LockId id) {
		return provider(id.provider());
	}

	/**
	 * Return the provider of a name behind this one, past the queue; for {@code null} the
	 * default one.
	 * @throws IllegalArgumentException if it is not known
	 */
	public LockProvider provider(@Nullable String name) {
		if (name == null || this.named == null) {
			return this.provider;
		}
		LockProvider found = this.named.get(name);
		if (found == null) {
			throw new IllegalArgumentException("Lock provider '%s' is not defined".formatted(name)
					+ remedy(name, this.named.keySet().stream().sorted().toList()));
		}
		return found;
	}

	/** A name that is like a defined one is no name to define. */
	private static String remedy(String name, List<String> defined) {
		String question = NearestName.didYouMean(name, defined, "'%s'");
		String others = defined.isEmpty() ? "" : " Defined besides the default one: %s.".formatted(defined);
		return question.isEmpty() ? ": set interlock.providers.%s.provider.%s".formatted(name, others)
				: ".%s%s To define a new one, set interlock.providers.<name>.provider.".formatted(question, others);
	}

	private LockAttempt enqueue(LockRequest request, LockCaller caller) {
		while (true) {
			LockQueue queue = queue(request.id());
			QueuedAttempt waiter = new QueuedAttempt(request, caller, queue);
			if (queue.enqueue(waiter)) {
				return waiter;
			}
		}
	}

	private LockAttempt tryOnce(LockRequest request, LockCaller caller) {
		LockQueue queue = this.queues.get(request.id());
		if (queue != null) {
			QueuedAttempt waiter = new QueuedAttempt(request, caller, queue);
			if (queue.tryLocally(waiter)) {
				return waiter;
			}
		}
		long askedAt = System.nanoTime();
		return new Try(provider(request.id()).attempt(request, caller), askedAt);
	}

	/**
	 * Keep the grant of a try here, or give it to callers that waited here before the
	 * try.
	 */
	private Optional<LockGrant> adopt(LockGrant grant, long askedAt) {
		LockQueue queue = this.queues.get(grant.request().id());
		return (queue != null && queue.giveToWaiters(grant, askedAt)) ? Optional.empty() : Optional.of(adopt(grant));
	}

	private LockGrant adopt(LockGrant grant) {
		while (true) {
			TenureGrant holder = queue(grant.request().id()).adopt(grant);
			if (holder != null) {
				return holder;
			}
		}
	}

	private LockQueue queue(LockId id) {
		// get first: computeIfAbsent may lock even if the entry is there
		LockQueue queue = this.queues.get(id);
		return (queue != null) ? queue : this.queues.computeIfAbsent(id, (absent) -> new LockQueue(absent, provider(id),
				this.settings, (unused) -> this.queues.remove(absent, unused)));
	}

	/** Release the grants that linger. The provider behind this one stays open. */
	@Override
	public void close() {
		this.queues.values().forEach(LockQueue::endIfIdle);
	}

	/**
	 * {@return a snapshot of the locks that threads of this JVM hold or wait for, or that
	 * it keeps for its next threads, the longest queue first}
	 */
	public List<QueueSnapshot> queues() {
		return this.queues.values()
			.stream()
			.map(LockQueue::snapshot)
			.sorted(Comparator.comparingInt(QueueSnapshot::waiting).reversed())
			.toList();
	}

	/**
	 * Try once, past the queue, to acquire a lock that this JVM does not hold and is not
	 * known to wait for. A try does not wait, so it must not be queued before callers
	 * that do. Its grant becomes a tenure like any other.
	 */
	private final class Try implements LockAttempt {

		private final LockAttempt attempt;

		private final long askedAt;

		private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

		Try(LockAttempt attempt, long askedAt) {
			this.attempt = attempt;
			this.askedAt = askedAt;
			attempt.outcome().whenComplete(this::ended);
		}

		private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
			if (grant == null) {
				this.outcome.completeExceptionally((failure != null) ? failure
						: new IllegalStateException("The provider completed its attempt without an outcome"));
				return;
			}
			try {
				Optional<LockGrant> adopted = grant.flatMap((granted) -> adopt(granted, this.askedAt));
				if (!this.outcome.complete(adopted)) {
					adopted.ifPresent(LockGrant::release);
				}
			}
			catch (RuntimeException | Error ex) {
				this.outcome.completeExceptionally(ex);
				grant.ifPresent(LockGrant::release);
			}
		}

		@Override
		public CompletableFuture<Optional<LockGrant>> outcome() {
			return this.outcome;
		}

		@Override
		public Phase phase() {
			return this.attempt.phase();
		}

		@Override
		public @Nullable Throwable obstacle() {
			return this.attempt.obstacle();
		}

		@Override
		public boolean isToldOfOthers() {
			return this.attempt.isToldOfOthers();
		}

		@Override
		public void abandon() {
			this.attempt.abandon();
			try {
				// The answer is on its way if another thread brings it.
				this.outcome.handle((grant, failure) -> grant).orTimeout(DECISION_SECONDS, TimeUnit.SECONDS).join();
			}
			catch (CompletionException ex) {
				this.outcome.cancel(false);
			}
		}

	}

}
