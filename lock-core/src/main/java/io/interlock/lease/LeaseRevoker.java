package io.interlock.lease;

import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.lease.LeaseLine.Place;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * {@link LockRevoker} for a {@link LeaseStore}. It finds a contender of any instance by
 * its token and makes the store forget it, as a release does. A holder of this instance
 * is asked at once, and one of another instance by {@link LeaseRequests}. A lock that is
 * kept without a holder is freed when it is asked for. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LeaseRevoker implements LockRevoker {

	private final LeaseLockProvider provider;

	private final ToIntBiFunction<Predicate<LockHandle>, RevocationRequest> own;

	/**
	 * Create a revoker.
	 * @param provider takes away what its store has
	 * @param own asks the holders of this instance, and returns how many it has asked
	 */
	public LeaseRevoker(LeaseLockProvider provider, ToIntBiFunction<Predicate<LockHandle>, RevocationRequest> own) {
		Assert.notNull(provider, "'provider' must not be null");
		Assert.notNull(own, "'own' must not be null");
		this.provider = provider;
		this.own = own;
	}

	@Override
	public LockRevoker.Target release(LockId id, long token) {
		return target(id, token, this.provider.operators().forget(id, token), true);
	}

	@Override
	public LockRevoker.Target requestRevocation(LockId id, long token, @Nullable Integer handoff,
			RevocationRequest request) {
		IntSupplier own = () -> this.own.applyAsInt((held) -> held.id().equals(id) && held.fencingToken() == token
				&& (handoff == null || handoff == held.handoff()), request);
		Place place = find(id, token, own);
		if (own.getAsInt() > 0) {
			return askedHere(id, token, place);
		}
		if (place == null) {
			throw new StaleTokenException(id, token);
		}
		if (place.waits()) {
			throw StaleTokenException.ofWaiter(id, token);
		}
		if (LeaseContender.isKept(place.contender())) {
			return release(id, token);
		}
		this.provider.operators().ask(new HolderRequest(place.contender(), handoff, request));
		return target(id, token, place, false);
	}

	/**
	 * Find a contender before a holder of this instance is asked, because it may give the
	 * lock up at once. While the store is away, that holder is asked all the same.
	 */
	private @Nullable Place find(LockId id, long token, IntSupplier own) {
		try {
			return this.provider.operators().find(id, token);
		}
		catch (LockInspectionException ex) {
			own.getAsInt();
			throw ex;
		}
	}

	private LockRevoker.Target askedHere(LockId id, long token, @Nullable Place before) {
		Place place = this.provider.operators().find(id, token);
		boolean freed = place == null || LeaseContender.isKept(place.contender());
		Place known = (before != null) ? before : place;
		return (known != null) ? target(id, token, known, freed)
				: new LockRevoker.Target(id, token, id.toString(), null, true);
	}

	private static LockRevoker.Target target(LockId id, long token, Place place, boolean freed) {
		return new LockRevoker.Target(id, token, place.contender(), LeaseOwner.of(place.instance()), freed,
				LeaseContender.isKept(place.contender()));
	}

}
