package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockContender.Kind;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseLine.Place;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * {@link LockInspector} for a {@link LeaseStore}. It shows the locks of all instances
 * that use the store. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LeaseInspector implements LockInspector {

	private static final int MAX_SHOWN = 100;

	private final LeaseLockProvider provider;

	/** Create an inspector of the store of a provider. */
	public LeaseInspector(LeaseLockProvider provider) {
		Assert.notNull(provider, "'provider' must not be null");
		this.provider = provider;
	}

	/**
	 * Read locks.
	 * @throws LockInspectionException if they could not be read
	 * @throws UnsupportedOperationException if the store does not tell them
	 */
	@Override
	public LockInspector.Page locks(LockInspector.Query query) {
		Lines lines = this.provider.operators().lines(query);
		Instant now = Instant.now();
		return new LockInspector.Page(this.provider.address().keptIn(), now, lines.total(), query.offset(),
				query.limit(), query.queueLimit(),
				lines.lines().stream().map((line) -> describe(line, query.queueLimit(), now)).toList());
	}

	/** Look at this lock only, whatever other keys its name has. */
	@Override
	public Optional<QueuedLock> lock(LockId id) {
		Instant now = Instant.now();
		return this.provider.operators().line(id).map((line) -> describe(line, MAX_SHOWN, now));
	}

	private static QueuedLock describe(LeaseLine line, int limit, Instant now) {
		List<Place> places = line.places();
		List<LockContender> shown = new ArrayList<>();
		for (Place place : places.subList(0, Math.min(limit, places.size()))) {
			shown.add(describe(shown.size(), place, now));
		}
		int holders = (int) places.stream().filter((place) -> !place.waits()).count();
		int queuedFrom = Math.min(holders, shown.size());
		LockMode mode = places.isEmpty() ? null : places.get(0).mode();
		return new QueuedLock(line.lock().name(), line.lock().key(), line.exact(), line.path(), line.readable(), mode,
				places.size(), shown.subList(0, queuedFrom), shown.subList(queuedFrom, shown.size()),
				places.size() - shown.size(), List.of(), (places.size() > holders) ? keeper(shown) : null);
	}

	private static @Nullable String keeper(List<LockContender> shown) {
		return shown.stream()
			.filter((contender) -> contender.keptUntil() != null)
			.map(LockContender::node)
			.findFirst()
			.orElse(null);
	}

	private static LockContender describe(int position, Place place, Instant now) {
		ContenderOwner owner = LeaseOwner.of(place.instance());
		Instant since = place.waits() ? owner.since() : grantedAt(place);
		LockContender contender = new LockContender(position, place.contender(), kind(place), place.mode(),
				place.number(), null, since, (since != null) ? age(since, now) : null, owner);
		return LeaseContender.isKept(place.contender()) ? contender.keptUntil(place.leaseEnd())
				: contender.leasedUntil(place.leaseEnd());
	}

	/** A clock that was put back has let the numbers run ahead of it. */
	private static @Nullable Instant grantedAt(Place place) {
		Instant granted = place.grantedAt();
		return (granted != null && granted.isAfter(place.leaseEnd())) ? null : granted;
	}

	private static Duration age(Instant since, Instant now) {
		Duration age = Duration.between(since, now);
		return age.isNegative() ? Duration.ZERO : age;
	}

	private static Kind kind(Place place) {
		if (LeaseContender.isKept(place.contender())) {
			return Kind.INTERLOCK_KEPT;
		}
		return (place.mode() == LockMode.PERMIT) ? Kind.INTERLOCK_PERMIT : Kind.INTERLOCK_LEASE;
	}

}
