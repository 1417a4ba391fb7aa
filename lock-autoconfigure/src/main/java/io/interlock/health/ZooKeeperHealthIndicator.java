package io.interlock.health;

import java.util.Collection;
import java.util.function.Supplier;

import io.interlock.zookeeper.SessionSnapshot;

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

	private final Supplier<Collection<String>> leading;

	/** Create an indicator for a session and won elections, both got without I/O. */
	public ZooKeeperHealthIndicator(Supplier<SessionSnapshot> session, Supplier<Collection<String>> leading) {
		super("ZooKeeper health check failed");
		Assert.notNull(session, "'session' must not be null");
		Assert.notNull(leading, "'leading' must not be null");
		this.session = session;
		this.leading = leading;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		SessionSnapshot session = this.session.get();
		builder.status(status(session)).withDetail("state", session.state()).withDetail("since", session.since());
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

	private static Status status(SessionSnapshot session) {
		return switch (session.usableState()) {
			case CONNECTED -> Status.UP;
			case SUSPENDED -> Status.OUT_OF_SERVICE;
			case CONNECTING, LOST, CLOSED -> Status.DOWN;
		};
	}

}
