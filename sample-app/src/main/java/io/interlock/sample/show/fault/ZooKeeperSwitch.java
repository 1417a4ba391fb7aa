package io.interlock.sample.show.fault;

import io.interlock.sample.show.live.Story;
import io.interlock.sample.web.InvalidRequestException;
import io.interlock.zookeeper.EmbeddedZooKeeperServer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * Stops the ZooKeeper server inside this instance, and starts it again: an outage for all
 * instances.
 */
@Component
@ConditionalOnZooKeeperControls
class ZooKeeperSwitch {

	private final ObjectProvider<EmbeddedZooKeeperServer> server;

	private final Story story;

	ZooKeeperSwitch(ObjectProvider<EmbeddedZooKeeperServer> server, Story story) {
		this.server = server;
		this.story = story;
	}

	void stop() {
		EmbeddedZooKeeperServer server = server();
		this.story.tell(Story.Kind.CONTROL, "ZooKeeper is stopped on purpose");
		server.stop();
	}

	void start() {
		server().start();
		this.story.tell(Story.Kind.CONTROL, "ZooKeeper is started again");
	}

	private EmbeddedZooKeeperServer server() {
		EmbeddedZooKeeperServer server = this.server.getIfAvailable();
		if (server == null) {
			throw new InvalidRequestException(
					"This instance runs no ZooKeeper server. Name the one that was started first");
		}
		return server;
	}

}
