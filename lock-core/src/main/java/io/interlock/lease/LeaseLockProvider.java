package io.interlock.lease;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;

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
 * </ul>
 *
 * @since 0.1.0
 */
public final class LeaseLockProvider implements LockProvider, AutoCloseable {

	private final LeaseStore store;

	private final String instance;

	private final LeaseEngine engine;

	private final String prefix = UUID.randomUUID() + "-";

	private final AtomicLong lastContender = new AtomicLong();

	/**
	 * Create a provider.
	 * @param store where the leases are; closed with this provider
	 * @param settings how to behave
	 */
	public LeaseLockProvider(LeaseStore store, LeaseSettings settings) {
		this(store, settings, LeaseTime.system());
	}

	/**
	 * Create a provider with a time of its own.
	 * @param store where the leases are; closed with this provider
	 * @param settings how to behave
	 * @param time how time passes; closed with this provider
	 */
	public LeaseLockProvider(LeaseStore store, LeaseSettings settings, LeaseTime time) {
		Assert.notNull(store, "'store' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		Assert.notNull(time, "'time' must not be null");
		this.store = store;
		this.instance = settings.instanceId();
		this.engine = new LeaseEngine(store, settings, time);
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		this.store.capabilities().check(request);
		LeaseAttempt attempt = new LeaseAttempt(() -> contender(request, caller),
				!Duration.ZERO.equals(request.waitTime()), this.engine);
		attempt.start();
		return attempt;
	}

	private LeaseContender contender(LockRequest request, LockCaller caller) {
		return new LeaseContender(this.prefix + Long.toString(this.lastContender.incrementAndGet(), 36), this.instance,
				request.id(), request.mode(), request.permits(), caller.retries());
	}

	@Override
	public LockCapabilities capabilities() {
		return this.store.capabilities();
	}

	/** Return the number of background releases that the store has not answered. */
	public int pendingReleases() {
		return this.engine.releases().pending();
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
		this.engine.store().check();
	}

	/**
	 * {@return the newest answer of the store, which may be that of an earlier call} The
	 * store is asked in the background if that is older than a third of the lease. Does
	 * not block.
	 */
	public LeaseStoreSnapshot snapshot() {
		return this.engine.snapshot(false);
	}

	/**
	 * {@return the newest answer of the store} The store is asked first if that is older
	 * than a third of the lease. Blocks for a second at the most.
	 */
	public LeaseStoreSnapshot currentSnapshot() {
		return this.engine.snapshot(true);
	}

	/**
	 * Refuse attempts, end the holds that are left, wait for the store to confirm it, at
	 * most for the verify timeout, and close the store. A hold that is ended here is lost
	 * to its holder.
	 */
	@Override
	public void close() {
		this.engine.close();
	}

}
