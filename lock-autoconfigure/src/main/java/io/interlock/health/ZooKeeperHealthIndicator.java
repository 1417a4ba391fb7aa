package io.interlock.health;

import java.util.Collection;
import java.util.function.Supplier;

import io.interlock.zookeeper.SessionSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.util.Assert;

/**
 * Health indicator for the ZooKeeper session that the locks of this instance depend on.
 * It does no I/O, so it answers at once also during an outage.
 * <p>
 * A suspended connection is {@link Status#OUT_OF_SERVICE}: no lock can be acquired and no
 * hold is known to be valid, but the session may be alive. It is the same while the
 * servers are silent: the client is connected, and a request is not answered in time.
 * Without a session it is {@link Status#DOWN}.
 *
 * @since 0.1.0
 */
public class ZooKeeperHealthIndicator extends AbstractHealthIndicator {

	private final Supplier<SessionSnapshot> session;

	private final Supplier<@Nullable String> address;

	private final Supplier<Collection<String>> leading;

	/** Create an indicator for a session whose servers are not told. */
	public ZooKeeperHealthIndicator(Supplier<SessionSnapshot> session, Supplier<Collection<String>> leading) {
		this(session, () -> null, leading);
	}

	/** Create an indicator for a session, its servers and won elections, without I/O. */
	public ZooKeeperHealthIndicator(Supplier<SessionSnapshot> session, Supplier<@Nullable String> address,
			Supplier<Collection<String>> leading) {
		super("ZooKeeper health check failed");
		Assert.notNull(session, "'session' must not be null");
		Assert.notNull(address, "'address' must not be null");
		Assert.notNull(leading, "'leading' must not be null");
		this.session = session;
		this.address = address;
		this.leading = leading;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		SessionSnapshot session = this.session.get();
		SessionSnapshot.State state = session.usableState();
		builder.status(status(state)).withDetail("state", state).withDetail("store", "ZooKeeper");
		if (state == session.state()) {
			builder.withDetail("since", session.since());
		}
		String address = this.address.get();
		if (address != null) {
			builder.withDetail("address", address);
		}
		String failure = failure(session);
		if (failure != null) {
			builder.withDetail("failure", failure);
		}
		if (session.sessionId() != null) {
			builder.withDetail("sessionId", "0x" + Long.toHexString(session.sessionId()));
		}
		if (session.negotiatedTimeout() != null) {
			builder.withDetail("negotiatedTimeout", session.negotiatedTimeout());
		}
		if (session.answerAge() != null) {
			builder.withDetail("answerAge", session.answerAge());
		}
		Collection<String> elections = this.leading.get();
		if (!elections.isEmpty()) {
			builder.withDetail("leading", elections);
		}
	}

	/** The client does not tell why a server was not reached. */
	private static @Nullable String failure(SessionSnapshot session) {
		return switch (session.state()) {
			case CONNECTING -> "no server has been reached yet";
			case CONNECTED -> session.late() ? "the connection is open, but the servers do not answer" : null;
			case SUSPENDED -> "the connection was lost, and no server can be reached";
			case LOST -> "the session has ended, and no server can be reached";
			case CLOSED -> null;
		};
	}

	private static Status status(SessionSnapshot.State state) {
		return switch (state) {
			case CONNECTED -> Status.UP;
			case SUSPENDED -> Status.OUT_OF_SERVICE;
			case CONNECTING, LOST, CLOSED -> Status.DOWN;
		};
	}

}
