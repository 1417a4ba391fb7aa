package io.interlock.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import io.interlock.provider.RunRecords;
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
 * <li>The age of a lease is measured by a {@link LeaseTime}, from the moment before the
 * newest answered request was sent. The store counts from a later moment, so the lease
 * ends here before it ends in the store.
 * <li>A hold is {@linkplain io.interlock.LockState#UNCONFIRMED unconfirmed} from the
 * first renewal that fails, or from two thirds of its lease. It is
 * {@linkplain io.interlock.LockState#LOST lost}, and its holder is told, from nine tenths
 * of its lease: the rest is for clocks that run at different rates.
 * <li>A hold that is lost stays lost, whatever the store answers later, and a grant is
 * handed out only while its lease is young.
 * <li>A store that does not answer is never reported as contention.
 * <li>An attempt that ends without a grant leaves nothing in the store, as soon as the
 * store answers; a grant that comes too late serves another attempt or is released.
 * <li>Several attempts or holds are handled in an order that is the same in each run.
 * </ul>
 *
 * @since 0.1.0
 */
public final class LeaseLockProvider implements LockProvider, RunRecords, AutoCloseable {

	/** Looks within a lease. */
	private static final int WATCHES = 20;

	private final LeaseStore store;

	private final LeaseParts parts;

	private final LeaseRenewal renewal;

	private final LeaseCleaner cleaner;

	private final LeaseOwner owner;

	private final LeaseRequests requests;

	private final LeaseOperators operators;

	private final LeaseAttempts attempts = new LeaseAttempts();

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
		this.owner = new LeaseOwner(settings);
		LeaseThreads threads = new LeaseThreads(time, settings.threads());
		LeaseConnection connection = new LeaseConnection(store, time, threads, settings);
		this.parts = new LeaseParts(connection, settings, time, threads,
				new LeaseReleases(connection, settings, time, threads, this.attempts),
				new KeptLeases(connection, settings, time, threads));
		this.renewal = new LeaseRenewal(this.parts);
		this.requests = new LeaseRequests(this.parts, this.renewal::openHolds);
		this.operators = new LeaseOperators(this.parts, this.attempts::wake, this.requests);
		store.listen(this.attempts::wake);
		this.cleaner = new LeaseCleaner(store, time, threads);
		this.cleaner.start();
		threads.repeat(this::watch, settings.lease().toNanos() / WATCHES);
	}

	/** Resume tasks that ended for want of memory, and look for kept holds. */
	private void watch() {
		this.renewal.watch();
		this.parts.releases().resume();
		this.parts.kept().lookWhenDue();
		this.requests.lookWhenDue();
		this.cleaner.resume();
		this.parts.connection().answerTimes().forget();
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		this.store.capabilities().check(request);
		LeaseAttempt attempt = new LeaseAttempt(request, () -> contender(request, caller), this.parts, this.renewal,
				this.attempts);
		this.attempts.add(attempt);
		attempt.start();
		return attempt;
	}

	private LeaseContender contender(LockRequest request, LockCaller caller) {
		return new LeaseContender(this.prefix + Long.toString(this.lastContender.incrementAndGet(), 36),
				this.owner.textOf(caller), request.id(), request.mode(), request.permits(), caller.retries());
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
		return this.parts.releases().pending();
	}

	/**
	 * Begin to pass requests of operators at other instances on, within a third of a
	 * lease, to holders of this one. Costs a request for each look of an instance that
	 * holds locks.
	 * @param holders asks the holders that are meant, and returns how many it has asked
	 */
	public void passRequestsOn(ToIntBiFunction<Predicate<LockHandle>, RevocationRequest> holders) {
		this.requests.listen((hold, asked) -> holders.applyAsInt(
				(held) -> held.id().equals(hold.contender().lock()) && held.fencingToken() == hold.fencingToken()
						&& (asked.handoff() == null || asked.handoff() == held.handoff()),
				asked.request()));
	}

	LeaseOperators operators() {
		return this.operators;
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
		this.parts.connection().check();
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
		LeaseConnection connection = this.parts.connection();
		connection.askIfOld(wait);
		String renewals = this.renewal.failure();
		String failure = connection.failure();
		return new LeaseStoreSnapshot(connection.state(renewals != null), connection.answerAge(),
				(failure != null) ? failure : renewals, this.renewal.holds(), pendingReleases());
	}

	/**
	 * Refuse attempts, end the holds that are left, wait for the store to confirm it, at
	 * most for the verify timeout, and close the store. A hold that is ended here is lost
	 * to its holder.
	 */
	@Override
	public void close() {
		// A request under way may still be granted; that hold has to be released.
		CompletableFuture<@Nullable Void> ended = this.attempts.close();
		Duration timeout = this.parts.settings().verifyTimeout();
		LeaseThreads.await(this.parts.time(), ended, timeout.toNanos());
		this.renewal.close();
		this.parts.releases().await(timeout);
		this.parts.threads().close();
		this.parts.releases().close();
		this.parts.connection().close();
	}

}
