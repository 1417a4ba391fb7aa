package io.interlock.sample.live;

import java.time.Instant;

import io.interlock.curator.SessionSnapshot;
import io.interlock.curator.ZooKeeperSession;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.instance.ThisInstance;

import org.springframework.stereotype.Component;

/**
 * Looks at this instance.
 */
@Component
class InstanceViews {

	private final ThisInstance instance;

	private final BoxOfficeProperties properties;

	private final ZooKeeperSession session;

	private final LockViews locks;

	private final Recorder recorder;

	private final Story story;

	InstanceViews(ThisInstance instance, BoxOfficeProperties properties, ZooKeeperSession session, LockViews locks,
			Recorder recorder, Story story) {
		this.instance = instance;
		this.properties = properties;
		this.session = session;
		this.locks = locks;
		this.recorder = recorder;
		this.story = story;
	}

	InstanceView view() {
		return new InstanceView(this.instance.name(), this.properties.locking(), true, Instant.now(), session(),
				this.locks.views(), this.recorder.waits(), this.story.happenings());
	}

	private InstanceView.Session session() {
		SessionSnapshot session = this.session.session();
		Long id = session.sessionId();
		return new InstanceView.Session(session.state().name(), session.since(),
				(id != null) ? "0x" + Long.toHexString(id) : null);
	}

}
