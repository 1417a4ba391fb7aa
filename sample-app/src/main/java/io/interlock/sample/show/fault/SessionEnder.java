package io.interlock.sample.show.fault;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.sample.show.live.Story;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

import org.springframework.stereotype.Component;
import org.springframework.util.Assert;

/**
 * Ends the ZooKeeper session of this instance at the server: a second connection with the
 * same identifier and password closes it. For the instance that is the same as a pause
 * that was longer than the session timeout.
 */
@Component
@ConditionalOnZooKeeperControls
class SessionEnder {

	private static final int TIMEOUT_SECONDS = 5;

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
			close(connection.getCurrentConnectionString(), session);
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

	private static void close(String connectString, ZooKeeper session) throws IOException, InterruptedException {
		CountDownLatch connected = new CountDownLatch(1);
		ZooKeeper twin = new ZooKeeper(connectString, session.getSessionTimeout(), (event) -> {
			if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
				connected.countDown();
			}
		}, session.getSessionId(), session.getSessionPasswd());
		// Closed before it is connected, it would never connect, and end nothing.
		boolean inTime = connected.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		twin.close();
		Assert.state(inTime, "ZooKeeper does not answer");
	}

}
