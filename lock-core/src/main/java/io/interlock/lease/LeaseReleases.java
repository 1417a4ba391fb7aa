package io.interlock.lease;

import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Makes the store forget contenders. Each release is tried until the store has answered,
 * or until the lease is over, after which the contender holds nothing anyway. Invariant:
 * no release fails. An attempt at the same lock can wait until the {@link #newest} one
 * was tried.
 */
final class LeaseReleases {

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LeaseConnection store;

	private final long leaseNanos;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final Listener listener;

	private final ConcurrentMap<LockId, CompletableFuture<@Nullable Void>> newest = new ConcurrentHashMap<>();

	private final AtomicLong numbers = new AtomicLong();

	private final Set<CompletableFuture<LockState>> chains = ConcurrentHashMap.newKeySet();

	private final Set<Release> pending = new ConcurrentSkipListSet<>(
			Comparator.comparingLong((release) -> release.number));

	LeaseReleases(LeaseConnection store, LeaseSettings settings, LeaseTime time, LeaseThreads threads,
			Listener listener) {
		this.store = store;
		this.time = time;
		this.leaseNanos = settings.lease().toNanos();
		this.threads = threads;
		this.listener = listener;
	}

	/** Release a waiter. */
	CompletableFuture<LockState> release(LeaseContender contender) {
		return release(contender, 0);
	}

	/**
	 * Release a holder with a token; {@link LockState#LOST} if the store knew no hold.
	 */
	CompletableFuture<LockState> release(LeaseContender contender, long token) {
		return release(contender, token, this.leaseNanos);
	}

	/** The same for a contender whose lease is not over within some other time. */
	CompletableFuture<LockState> release(LeaseContender contender, long token, long leaseNanos) {
		Release release = new Release(contender, token, leaseNanos);
		this.pending.add(release);
		this.newest.put(contender.lock(), release.tried);
		release.run();
		return release.state;
	}

	/** Wait in {@link #await} for releases that follow each other, too. */
	CompletableFuture<LockState> awaited(CompletableFuture<LockState> releases) {
		this.chains.add(releases);
		releases.whenComplete((state, failure) -> this.chains.remove(releases));
		return releases;
	}

	/**
	 * Return whether the holder of a lock with a token, 0 for a waiter, is one of this
	 * instance that the store is about to forget.
	 */
	boolean isGoing(LockId lock, long token) {
		return this.pending.stream()
			.anyMatch((release) -> release.token == token && release.contender.lock().equals(lock));
	}

	/** Return a future that completes when the newest release of a lock was tried. */
	@Nullable CompletableFuture<@Nullable Void> newest(LockId lock) {
		return this.newest.get(lock);
	}

	void resume() {
		this.pending.forEach(Release::resume);
	}

	void close() {
		this.pending.forEach((release) -> release.end(LockState.RELEASED));
	}

	int pending() {
		return this.pending.size();
	}

	void await(Duration timeout) {
		CompletableFuture<?>[] all = Stream
			.concat(this.pending.stream().map((each) -> each.state), this.chains.stream())
			.toArray(CompletableFuture[]::new);
		LeaseThreads.await(this.time, CompletableFuture.allOf(all), timeout.toNanos());
	}

	/** Is told of each release, on the thread that knows of its end. */
	interface Listener {

		/**
		 * The store has forgotten a contender, or its lease is over.
		 * @param token its token, 0 for a waiter
		 */
		void released(LockId id, long token);

		/** A lock may be free. */
		void wake(LockId id);

	}

	private final class Release {

		private final long number = LeaseReleases.this.numbers.incrementAndGet();

		private final LeaseContender contender;

		private final long token;

		private final long leaseNanos;

		private final long since = LeaseReleases.this.time.nanoTime();

		private final CompletableFuture<LockState> state = new CompletableFuture<>();

		private final CompletableFuture<@Nullable Void> tried = new CompletableFuture<>();

		private volatile boolean stuck;

		private int failures;

		/** Whether a request that failed may have released the hold. */
		private boolean doubted;

		Release(LeaseContender contender, long token, long leaseNanos) {
			this.contender = contender;
			this.token = token;
			this.leaseNanos = leaseNanos;
		}

		void run() {
			try {
				LeaseReleases.this.store.release(this.contender).whenComplete(this::answered);
			}
			catch (RejectedExecutionException ex) {
				end(LockState.RELEASED);
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}

		void resume() {
			if (this.stuck) {
				this.stuck = false;
				run();
			}
		}

		private void answered(@Nullable Boolean held, @Nullable Throwable failure) {
			if (held == null) {
				failed((failure != null) ? LeaseStoreException.unwrapped(failure) : null);
			}
			else {
				end((held || this.doubted) ? LockState.RELEASED : LockState.LOST);
			}
		}

		private void failed(@Nullable Throwable failure) {
			this.doubted = this.doubted || !LeaseStoreException.isUndone(failure);
			long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(this.failures, 5));
			this.failures++;
			triedOnce();
			try {
				if (isWorthRepeating(pause)) {
					LeaseReleases.this.threads.later(this::run, pause);
					return;
				}
			}
			catch (RejectedExecutionException ex) {
				// The instance has stopped.
			}
			catch (Throwable ex) {
				this.stuck = true;
				return;
			}
			end(LockState.RELEASED);
		}

		private boolean isWorthRepeating(long pause) {
			return LeaseReleases.this.time.nanoTime() - this.since + pause < this.leaseNanos;
		}

		private void end(LockState state) {
			LeaseReleases.this.listener.released(this.contender.lock(), this.token);
			LeaseReleases.this.pending.remove(this);
			triedOnce();
			LeaseReleases.this.listener.wake(this.contender.lock());
			if (state != LockState.LOST || !LeaseReleases.this.threads.tell(() -> this.state.complete(state))) {
				this.state.complete(state);
			}
		}

		private void triedOnce() {
			LeaseReleases.this.newest.remove(this.contender.lock(), this.tried);
			this.tried.complete(null);
		}

	}

}
