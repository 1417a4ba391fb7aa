package io.interlock.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import io.interlock.provider.RunRecords;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks on a {@link LeaseStore}. Everything that such stores have in common is here: the
 * calling thread never waits for the store, an attempt that waits asks again in short
 * intervals, and one request renews all leases of this instance. Safe for use by many
 * threads.
 * <p>
 * Invariants:
 * <ul>
 * <li>The age of a lease counts from the moment before the request was sent that the
 * store has answered last, by a {@link LeaseTime}. The store counts from a later moment,
 * so the lease is over here before it is over there.
 * <li>A hold is {@linkplain io.interlock.LockState#UNCONFIRMED unconfirmed} from the
 * first renewal that fails, or from two thirds of its lease. It is
 * {@linkplain io.interlock.LockState#LOST lost}, and its holder is told, from nine tenths
 * of its lease: the rest is for clocks that run at different rates.
 * <li>A hold that is lost stays lost, whatever the store answers later, and a grant is
 * handed out only while its lease is young.
 * <li>A store that does not answer is never taken for contention.
 * <li>An attempt that ends without a grant leaves nothing in the store, as soon as the
 * store answers; a grant that comes too late is released.
 * <li>What is done to several attempts or holds is done in an order that does not change
 * from run to run.
 * </ul>
 *
 * @since 0.1.0
 */
public final class LeaseLockProvider implements LockProvider, RunRecords, AutoCloseable {

	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Looks within a lease. */
	private static final int WATCHES = 20;

	private final LeaseStore store;

	private final LeaseConnection connection;

	private final LeaseSettings settings;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final LeaseReleases releases;

	private final LeaseRenewal renewal;

	private final Cleaner cleaner;

	/** Undecided, or with a question under way. By ids as the store knows them. */
	private final ConcurrentMap<LockId, Set<LeaseAttempt>> attempts = new ConcurrentHashMap<>();

	private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	private volatile boolean closed;

	private volatile long answeredAt;

	private final String prefix = UUID.randomUUID() + "-";

	private final AtomicLong lastContender = new AtomicLong();

	/** Create a provider in the {@linkplain LeaseTime#system() time of the system}. */
	public LeaseLockProvider(LeaseStore store, LeaseSettings settings) {
		this(store, settings, LeaseTime.system());
	}

	/**
	 * Create a provider.
	 * @param store where the leases are; closed with this provider
	 * @param settings how to behave
	 * @param time how time passes; closed with this provider
	 */
	public LeaseLockProvider(LeaseStore store, LeaseSettings settings, LeaseTime time) {
		Assert.notNull(store, "'store' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(time, "'time' must not be null");
		this.store = store;
		this.settings = settings;
		this.time = time;
		this.answeredAt = time.nanoTime();
		this.threads = new LeaseThreads(time, settings.threads());
		this.connection = new LeaseConnection(store, time, this.threads, settings.lease());
		this.releases = new LeaseReleases(this.connection, settings, time, this.threads, this::wake);
		this.renewal = new LeaseRenewal(this.connection, settings, time, this.threads);
		store.listen(this::wake);
		this.cleaner = new Cleaner(store, time, this.threads);
		this.cleaner.start();
		this.threads.repeat(this::watch, settings.lease().toNanos() / WATCHES);
	}

	/** Resume what has ended for want of memory. */
	private void watch() {
		this.renewal.watch();
		this.releases.resume();
		this.cleaner.resume();
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		this.store.capabilities().check(request);
		LeaseAttempt attempt = new LeaseAttempt(request, () -> contender(request, caller), this);
		attempt.start();
		return attempt;
	}

	private LeaseContender contender(LockRequest request, LockCaller caller) {
		return new LeaseContender(this.prefix + Long.toString(this.lastContender.incrementAndGet(), 36),
				this.settings.instanceId(), request.id(), request.mode(), request.permits(), caller.retries());
	}

	@Override
	public LockCapabilities capabilities() {
		return this.store.capabilities();
	}

	@Override
	public void record(Run run) {
		if (this.store instanceof RunRecords records) {
			records.record(run);
		}
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return (this.store instanceof RunRecords records) ? records.runs(names) : List.of();
	}

	/** Return the number of background releases that the store has not answered. */
	public int pendingReleases() {
		return this.releases.pending();
	}

	/** Return the address of the store, known without asking it. */
	public LeaseStoreAddress address() {
		return this.store.address();
	}

	/**
	 * Ask the store once whether locks can be acquired. Blocks until it has answered.
	 * @throws LeaseStoreException if it does not answer, or refuses
	 */
	public void check() {
		this.connection.check();
	}

	/**
	 * {@return the newest answer of the store, which may be that of an earlier call} The
	 * store is asked in the background if that is older than a third of the lease. Does
	 * not block.
	 */
	public LeaseStoreSnapshot snapshot() {
		return snapshot(false);
	}

	/**
	 * {@return the newest answer of the store} The store is asked first if that is older
	 * than a third of the lease. Blocks for a second at the most.
	 */
	public LeaseStoreSnapshot currentSnapshot() {
		return snapshot(true);
	}

	private LeaseStoreSnapshot snapshot(boolean wait) {
		this.connection.askIfOld(wait);
		return new LeaseStoreSnapshot(this.connection.state(this.renewal.isFailing()), this.connection.answerAge(),
				this.connection.failure(), this.renewal.holds().size(), this.releases.pending());
	}

	/**
	 * Refuse attempts, end the holds that are left, wait for the store to confirm it, at
	 * most for the verify timeout, and close the store. A hold that is ended here is lost
	 * to its holder.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.attempts.values()
			.stream()
			.flatMap(Set::stream)
			.toList()
			.forEach((attempt) -> attempt.fail(attempt.closed()));
		// A request under way may still bring a hold, which then has to be released.
		endIfClosed();
		LeaseThreads.await(this.time, this.ended, this.settings.verifyTimeout().toNanos());
		this.renewal.close();
		List.copyOf(this.renewal.holds()).forEach(LeaseGrant::close);
		this.releases.await(this.settings.verifyTimeout());
		this.threads.close();
		this.releases.close();
		this.connection.close();
	}

	LeaseConnection connection() {
		return this.connection;
	}

	LeaseSettings settings() {
		return this.settings;
	}

	LeaseTime time() {
		return this.time;
	}

	LeaseThreads threads() {
		return this.threads;
	}

	LeaseReleases releases() {
		return this.releases;
	}

	LeaseRenewal renewal() {
		return this.renewal;
	}

	boolean isClosed() {
		return this.closed;
	}

	void answered() {
		this.answeredAt = this.time.nanoTime();
	}

	boolean isAnswering() {
		return this.time.nanoTime() - this.answeredAt < SILENCE_NANOS + 2 * this.settings.pollInterval().toNanos();
	}

	void add(LeaseAttempt attempt) {
		this.attempts.compute(attempt.lock().withProvider(null), (id, present) -> {
			Set<LeaseAttempt> attempts = (present != null) ? present : new ConcurrentSkipListSet<>(LeaseAttempt.ORDER);
			attempts.add(attempt);
			return attempts;
		});
	}

	void remove(LeaseAttempt attempt) {
		this.attempts.computeIfPresent(attempt.lock().withProvider(null), (id, attempts) -> {
			attempts.remove(attempt);
			return attempts.isEmpty() ? null : attempts;
		});
		endIfClosed();
	}

	private void endIfClosed() {
		if (this.closed && this.attempts.isEmpty()) {
			this.ended.complete(null);
		}
	}

	private void wake(LockId id) {
		this.attempts.getOrDefault(id.withProvider(null), Set.of()).forEach(LeaseAttempt::ask);
	}

	/**
	 * Lets the store remove what no lock needs any more, in parts, on a thread of its
	 * own: a renewal never waits for it. Between two parts it rests as long as the last
	 * one took, so that other requests have at least half of the store. Invariant: the
	 * next part is planned, or {@link #resume()} plans it, until the provider is closed,
	 * whatever failed.
	 */
	static final class Cleaner {

		private static final Log logger = LogFactory.getLog(Cleaner.class);

		private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(10);

		private static final long SHORTEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

		/** A single failure may be a deadlock or a broken connection. */
		private static final int FAILURES_TO_TELL = 2;

		private final LeaseStore store;

		private final LeaseTime time;

		private final LeaseThreads threads;

		private volatile boolean ended;

		private volatile int failures;

		Cleaner(LeaseStore store, LeaseTime time, LeaseThreads threads) {
			this.store = store;
			this.time = time;
			this.threads = threads;
		}

		void start() {
			later(INTERVAL_NANOS);
		}

		/** Plan the next part after a lack of memory. Called by the timer. */
		void resume() {
			if (this.ended) {
				this.ended = false;
				later(INTERVAL_NANOS);
			}
		}

		private void later(long nanos) {
			try {
				this.threads.later(this::begin, nanos);
			}
			catch (RejectedExecutionException ex) {
				// The instance has stopped.
			}
			catch (Throwable ex) {
				this.ended = true;
			}
		}

		private void begin() {
			try {
				this.threads.clean(this::clean);
			}
			catch (Throwable ex) {
				try {
					failed(ex);
				}
				finally {
					later(INTERVAL_NANOS);
				}
			}
		}

		private void clean() {
			long rest = INTERVAL_NANOS;
			try {
				long begun = this.time.nanoTime();
				if (this.store.clean()) {
					rest = Math.max(SHORTEST_REST_NANOS, this.time.nanoTime() - begun);
				}
				succeeded();
			}
			catch (Throwable ex) {
				rest = INTERVAL_NANOS;
				failed(ex);
			}
			finally {
				later(rest);
			}
		}

		private void succeeded() {
			if (this.failures >= FAILURES_TO_TELL) {
				logger.info("What no lock needs any more is removed from the store again");
			}
			this.failures = 0;
		}

		private void failed(Throwable failure) {
			int failures = this.failures + 1;
			this.failures = failures;
			if (failures == FAILURES_TO_TELL && !this.threads.isClosed()) {
				logger.warn(
						"What no lock needs any more was not removed from the store, several times: %s. It grows until that succeeds; no lock is affected"
							.formatted(failure),
						failure);
			}
			else {
				logger.debug("What no lock needs any more was not removed; the next look tries again", failure);
			}
		}

	}

}
