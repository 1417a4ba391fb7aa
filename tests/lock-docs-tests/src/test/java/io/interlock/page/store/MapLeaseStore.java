package io.interlock.page.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.interlock.LockId;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore;
import io.interlock.provider.LockCapabilities;

class MapLeaseStore implements LeaseStore {

	private final Map<LockId, Holder> holders = new HashMap<>();

	private final InstantSource clock;

	private long lastToken;

	MapLeaseStore(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public LockCapabilities capabilities() {
		return new LockCapabilities(false, false, false, true, false);
	}

	@Override
	public synchronized LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		Optional<Holder> holder = holder(contender.lock());
		if (holder.isPresent() && !isHeld(contender)) {
			return LeaseAnswer.heldBy(holder.get().token());
		}
		long token = holder.map(Holder::token).orElseGet(() -> ++this.lastToken);
		this.holders.put(contender.lock(), new Holder(contender.id(), token, this.clock.instant().plus(lease)));
		return LeaseAnswer.granted(token);
	}

	@Override
	public synchronized Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		Set<LeaseContender> held = held(contenders);
		held.forEach((contender) -> acquire(contender, lease, false));
		return Renewed.of(held);
	}

	@Override
	public synchronized boolean release(LeaseContender contender) {
		return isHeld(contender) && this.holders.remove(contender.lock()) != null;
	}

	@Override
	public synchronized boolean isHeld(LeaseContender contender) {
		return holder(contender.lock()).filter((holder) -> holder.contender().equals(contender.id())).isPresent();
	}

	private Optional<Holder> holder(LockId lock) {
		return Optional.ofNullable(this.holders.get(lock))
			.filter((holder) -> holder.end().isAfter(this.clock.instant()));
	}

	private record Holder(String contender, long token, Instant end) {

	}

}
