package io.interlock.health;

import java.util.Collection;
import java.util.function.Supplier;

import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreSnapshot;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.util.Assert;

/**
 * Health indicator for a store of leases, such as a database, that the locks of this
 * instance depend on. It asks the store only if that has not answered for a third of the
 * lease, and then for a second at the most.
 * <p>
 * A store that does not answer, or refuses, is {@link Status#OUT_OF_SERVICE}: no lock can
 * be acquired and no hold is known to be valid, but leases may run. When they are over,
 * it is {@link Status#DOWN}, and also before its first answer.
 *
 * @since 0.1.0
 */
public class LeaseHealthIndicator extends AbstractHealthIndicator {

	private final Supplier<LeaseStoreAddress> address;

	private final Supplier<LeaseStoreSnapshot> store;

	private final Supplier<Collection<String>> leading;

	/** Create an indicator; only {@code store} may do I/O, for a bounded time. */
	public LeaseHealthIndicator(Supplier<LeaseStoreAddress> address, Supplier<LeaseStoreSnapshot> store,
			Supplier<Collection<String>> leading) {
		super("Health check of the store of locks failed");
		Assert.notNull(address, "'address' must not be null");
		Assert.notNull(store, "'store' must not be null");
		Assert.notNull(leading, "'leading' must not be null");
		this.address = address;
		this.store = store;
		this.leading = leading;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		LeaseStoreAddress address = this.address.get();
		LeaseStoreSnapshot store = this.store.get();
		builder.status(status(store))
			.withDetail("state", store.state())
			.withDetail("store", address.store())
			.withDetail("address", address.address())
			.withDetail("keptIn", address.keptIn());
		if (store.answerAge() != null) {
			builder.withDetail("answerAge", store.answerAge());
		}
		if (store.failure() != null) {
			builder.withDetail("failure", store.failure());
		}
		builder.withDetail("holds", store.holds()).withDetail("pendingReleases", store.pendingReleases());
		Collection<String> elections = this.leading.get();
		if (!elections.isEmpty()) {
			builder.withDetail("leading", elections);
		}
	}

	private static Status status(LeaseStoreSnapshot store) {
		return switch (store.state()) {
			case CONNECTED -> Status.UP;
			case SUSPENDED -> Status.OUT_OF_SERVICE;
			case CONNECTING, LOST, CLOSED -> Status.DOWN;
		};
	}

}
