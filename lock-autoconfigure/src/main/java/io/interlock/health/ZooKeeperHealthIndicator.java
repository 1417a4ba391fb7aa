package io.interlock.health;

import java.util.function.Supplier;

import io.interlock.curator.SessionSnapshot;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.util.Assert;

/**
 * {@link HealthIndicator} for the ZooKeeper session that the locks of this instance hang
 * on. It reports what is known already and never asks a server, so it answers at once
 * while none can be reached.
 * <p>
 * A suspended connection is {@link Status#OUT_OF_SERVICE}: no lock can be had and none
 * that is held is known to be valid, but the session may still stand. Without a session
 * it is {@link Status#DOWN}.
 *
 * @since 0.1.0
 */
public class ZooKeeperHealthIndicator extends AbstractHealthIndicator {

	private final Supplier<SessionSnapshot> session;

	/**
	 * Create an indicator.
	 * @param session gives the current state of the session, without any I/O
	 */
	public ZooKeeperHealthIndicator(Supplier<SessionSnapshot> session) {
		super("ZooKeeper health check failed");
		Assert.notNull(session, "'session' must not be null");
		this.session = session;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		SessionSnapshot session = this.session.get();
		builder.status(status(session.state()))
			.withDetail("state", session.state())
			.withDetail("since", session.since());
		if (session.sessionId() != null) {
			builder.withDetail("sessionId", "0x" + Long.toHexString(session.sessionId()));
		}
		if (session.negotiatedTimeout() != null) {
			builder.withDetail("negotiatedTimeout", session.negotiatedTimeout());
		}
	}

	private static Status status(SessionSnapshot.State state) {
		return switch (state) {
			case CONNECTED -> Status.UP;
			case SUSPENDED -> Status.OUT_OF_SERVICE;
			case CONNECTING, LOST, CLOSED -> Status.DOWN;
		};
	}

}
