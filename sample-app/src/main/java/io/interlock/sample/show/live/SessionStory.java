package io.interlock.sample.show.live;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * Tells what the ZooKeeper session of this instance goes through, if it has one.
 */
@Component
class SessionStory {

	private final Story story;

	SessionStory(ObjectProvider<CuratorFramework> client, Story story) {
		this.story = story;
		client.ifAvailable((used) -> used.getConnectionStateListenable().addListener((source, state) -> tell(state)));
	}

	private void tell(ConnectionState state) {
		switch (state) {
			case SUSPENDED -> this.story.tell(Story.Kind.DOUBT, "Connection to ZooKeeper suspended");
			case LOST -> this.story.tell(Story.Kind.LOSS, "Session lost, and every lock with it");
			case RECONNECTED -> this.story.tell(Story.Kind.RECOVERY, "Connected to ZooKeeper again");
			default -> {
				// The first connection is no news.
			}
		}
	}

}
