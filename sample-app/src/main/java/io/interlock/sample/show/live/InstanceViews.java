package io.interlock.sample.show.live;

import java.time.Instant;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.zookeeper.EmbeddedZooKeeperServer;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.ZooKeeperSession;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Looks at this instance.
 */
@Component
class InstanceViews {

	private final ThisInstance instance;

	private final String id;

	private final BoxOfficeProperties properties;

	private final ObjectProvider<ZooKeeperSession> session;

	private final ObjectProvider<EmbeddedZooKeeperServer> server;

	private final LockViews locks;

	private final Recorder recorder;

	private final Story story;

	InstanceViews(ThisInstance instance, InterlockProperties locking, Environment environment,
			BoxOfficeProperties properties, ObjectProvider<ZooKeeperSession> session,
			ObjectProvider<EmbeddedZooKeeperServer> server, LockViews locks, Recorder recorder, Story story) {
		this.instance = instance;
		this.id = locking.instanceId(environment);
		this.properties = properties;
		this.session = session;
		this.server = server;
		this.locks = locks;
		this.recorder = recorder;
		this.story = story;
	}

	InstanceView view() {
		return new InstanceView(this.instance.name(), this.id, this.properties.locking(), true, Instant.now(),
				session(), zooKeeperRuns(), this.locks.views(), this.recorder.waits(), this.story.happenings());
	}

	private @Nullable Boolean zooKeeperRuns() {
		EmbeddedZooKeeperServer server = this.server.getIfAvailable();
		return (server != null) ? server.isRunning() : null;
	}

	private InstanceView.@Nullable Session session() {
		ZooKeeperSession used = this.session.getIfAvailable();
		return (used != null) ? describe(used.session()) : null;
	}

	private static InstanceView.Session describe(SessionSnapshot session) {
		Long id = session.sessionId();
		return new InstanceView.Session(session.state().name(), session.since(),
				(id != null) ? "0x" + Long.toHexString(id) : null);
	}

}
