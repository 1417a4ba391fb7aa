package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspector;
import io.interlock.lease.LeaseLine.Place;
import io.interlock.provider.LockCapabilities;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive leases in a map, permits alike, with the failures that a test asks for, and
 * readers that exclude nothing. It keeps no order and no leases: what is held stays held.
 */
final class MapLeaseStore implements LeaseStore {

	final Map<LockId, LeaseContender> holders = new ConcurrentHashMap<>();

	/** Readers of any lock, by their identifiers. */
	final Map<String, LeaseContender> readers = new ConcurrentSkipListMap<>();

	/** Locks that were read. */
	final Queue<LockId> read = new ConcurrentLinkedQueue<>();

	/** Comes before each answer to a question for a lock with its contenders. */
	volatile Runnable beforeRead = () -> {
	};

	volatile boolean readable = true;

	volatile Instant leaseEnd = Instant.EPOCH;

	volatile @Nullable Instant grantedAt;

	/** Locks whose leases are not extended now. */
	final Set<LockId> passedOver = ConcurrentHashMap.newKeySet();

	/** Renews a contender alone; passes it over unless a test says otherwise. */
	volatile Function<LeaseContender, Renewed> renewedAlone = (contender) -> new Renewed(Set.of(), Set.of(contender));

	/** Locks in a part of the store that does not answer renewals. */
	final Set<LockId> unanswered = ConcurrentHashMap.newKeySet();

	/** The contenders of all renewals. */
	final Queue<LeaseContender> renewed = new ConcurrentLinkedQueue<>();

	final AtomicInteger renewals = new AtomicInteger();

	final AtomicInteger requests = new AtomicInteger();

	/** How often it was asked whether a contender holds a lock. */
	final AtomicInteger questions = new AtomicInteger();

	private final AtomicLong lastToken = new AtomicLong();

	/** Comes before each answer to a request for a lock. */
	volatile Runnable beforeAnswer = () -> {
	};

	/**
	 * The first of two steps of a request for a lock, each of which takes a thread;
	 * {@code null} if it has one.
	 */
	volatile @Nullable Consumer<LeaseContender> firstStep;

	/** Comes before each answer to a release. */
	volatile Runnable beforeReleased = () -> {
	};

	/** Comes before each answer to the question whether a contender holds a lock. */
	volatile Runnable beforeQuestion = () -> {
	};

	/** Requests that a client has sent without a thread; {@code null} if it needs one. */
	volatile @Nullable Queue<Runnable> sent;

	volatile BooleanSupplier cleaning = () -> false;

	volatile @Nullable RuntimeException failure;

	volatile boolean renewalsFail;

	volatile boolean telling;

	volatile boolean ordered;

	volatile boolean keeping;

	volatile boolean sharing;

	private volatile Consumer<LockId> freed = (id) -> {
	};

	@Override
	public LockCapabilities capabilities() {
		return new LockCapabilities(this.sharing, this.sharing, false, false, this.keeping);
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		this.requests.incrementAndGet();
		failWhenTold();
		if (contender.mode() == LockMode.SHARED) {
			this.readers.put(contender.id(), contender);
			return LeaseAnswer.granted(this.lastToken.incrementAndGet());
		}
		LeaseContender holder = this.holders.computeIfAbsent(contender.lock(), (free) -> contender);
		this.beforeAnswer.run();
		return holder.equals(contender) ? LeaseAnswer.granted(this.lastToken.incrementAndGet())
				: LeaseAnswer.heldBy(this.lastToken.get());
	}

	@Override
	public CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		Consumer<LeaseContender> firstStep = this.firstStep;
		if (firstStep == null) {
			return send(() -> acquire(contender, lease, waits), threads);
		}
		CompletableFuture<LeaseAnswer> answer = new CompletableFuture<>();
		threads.execute(() -> {
			firstStep.accept(contender);
			answer.completeAsync(() -> acquire(contender, lease, waits), threads);
		});
		return answer;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		return send(() -> release(contender), threads);
	}

	private <T> CompletionStage<T> send(Supplier<T> request, Executor threads) {
		Queue<Runnable> sent = this.sent;
		if (sent == null) {
			return CompletableFuture.supplyAsync(request, threads);
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		sent.add(() -> {
			try {
				answer.complete(request.get());
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
		});
		return answer;
	}

	@Override
	public Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		this.renewals.incrementAndGet();
		failWhenTold();
		if (this.renewalsFail) {
			throw LeaseStoreException.passing("the test lets the store fail", null);
		}
		this.renewed.addAll(contenders);
		LeaseStoreException away = LeaseStoreException.passing("a part of the store is away", null);
		Map<LeaseContender, LeaseStoreException> failures = contenders.stream()
			.filter((contender) -> this.unanswered.contains(contender.lock()))
			.collect(Collectors.toMap(Function.identity(), (contender) -> away));
		if (failures.size() == contenders.size()) {
			throw away;
		}
		Map<Boolean, Set<LeaseContender>> held = contenders.stream()
			.filter((contender) -> this.holders.containsValue(contender) && !failures.containsKey(contender))
			.collect(Collectors.partitioningBy((contender) -> this.passedOver.contains(contender.lock()),
					Collectors.toSet()));
		return new Renewed(held.getOrDefault(false, Set.of()), held.getOrDefault(true, Set.of()), failures);
	}

	@Override
	public Renewed renewAlone(LeaseContender contender, Duration lease) {
		return this.renewedAlone.apply(contender);
	}

	@Override
	public boolean release(LeaseContender contender) {
		failWhenTold();
		boolean held = this.holders.remove(contender.lock(), contender) || this.readers.remove(contender.id()) != null;
		this.beforeReleased.run();
		return held;
	}

	@Override
	public boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		failWhenTold();
		return this.holders.replace(contender.lock(), contender, kept);
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		this.questions.incrementAndGet();
		this.beforeQuestion.run();
		failWhenTold();
		return this.holders.containsValue(contender);
	}

	/** Return no locks, unless this is refused. */
	@Override
	public LeaseLine.Lines lines(LockInspector.Query query) {
		this.beforeRead.run();
		failWhenTold();
		return new LeaseLine.Lines(0, List.of());
	}

	/** Return a lock with its readers. */
	@Override
	public Optional<LeaseLine> line(LockId lock) {
		this.read.add(lock);
		this.beforeRead.run();
		failWhenTold();
		List<Place> places = this.readers.values()
			.stream()
			.map((each) -> new Place(each.id(), each.instance(), each.mode(), 1, 1, 1, this.leaseEnd, this.grantedAt))
			.toList();
		return Optional.of(new LeaseLine(lock.name(), lock, true, this.readable, this.readable ? places : List.of()));
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.freed = freed;
	}

	@Override
	public boolean keepsOrder() {
		return this.ordered;
	}

	@Override
	public boolean isTelling() {
		return this.telling;
	}

	/** Tell the provider that a lock may be free. */
	void tell(LockId id) {
		this.freed.accept(id);
	}

	@Override
	public boolean clean() {
		return this.cleaning.getAsBoolean();
	}

	/**
	 * Take a lock from its holder, and give it to another contender.
	 */
	void handOver(LeaseContender next) {
		this.lastToken.incrementAndGet();
		this.holders.put(next.lock(), next);
	}

	private void failWhenTold() {
		RuntimeException told = this.failure;
		if (told != null) {
			throw told;
		}
	}

}
