package io.interlock.sample.fault;

import io.interlock.sample.live.Story;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/**
 * Ends the ZooKeeper session of this instance at the server: a second connection with the
 * same identifier and password closes it. For the instance that is the same as a pause
 * that was longer than the session timeout.
 */
@Component
@ConditionalOnBooleanProperty("sample.controls")
class SessionEnder {

	private final CuratorFramework client;

	private final Story story;

	SessionEnder(CuratorFramework client, Story story) {
		this.client = client;
		this.story = story;
	}

	void end() {
		this.story.tell(Story.Kind.CONTROL, "Session ended on purpose");
		try {
			CuratorZookeeperClient connection = this.client.getZookeeperClient();
			ZooKeeper session = connection.getZooKeeper();
			new ZooKeeper(connection.getCurrentConnectionString(), session.getSessionTimeout(), (event) -> {
			}, session.getSessionId(), session.getSessionPasswd()).close();
			// The server keeps the old connection of an ended session open and silent, so
			// that this instance would find out after a timeout only.
			session.getTestable().closeSocket();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the session was ended", ex);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The session could not be ended", ex);
		}
	}

}
