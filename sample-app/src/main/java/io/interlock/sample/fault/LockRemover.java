package io.interlock.sample.fault;

import java.util.List;

import io.interlock.sample.live.Story;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/**
 * Takes a lock away from its holder by deleting the holder's node. The token is the
 * number of the transaction that created that node, so that a newer holder is never hit.
 */
@Component
@ConditionalOnBooleanProperty("sample.controls")
class LockRemover {

	private final CuratorFramework client;

	private final String root;

	private final Story story;

	LockRemover(CuratorFramework client, @Value("${interlock.root-path:/interlock}") String root, Story story) {
		this.client = client;
		this.root = root;
		this.story = story;
	}

	/**
	 * Delete the node that has a token.
	 * @param token the token of the holder that was seen
	 * @return whether there was one
	 */
	boolean remove(long token) {
		try {
			for (String lock : children(this.root)) {
				for (String node : children(this.root + "/" + lock)) {
					String path = this.root + "/" + lock + "/" + node;
					Stat stat = this.client.checkExists().forPath(path);
					if (stat != null && stat.getCzxid() == token) {
						this.client.delete().forPath(path);
						this.story.tell(Story.Kind.CONTROL, "The holder with token %d was removed".formatted(token));
						return true;
					}
				}
			}
			return false;
		}
		catch (KeeperException.NoNodeException ex) {
			return false;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The holder with token %d could not be removed".formatted(token), ex);
		}
	}

	private List<String> children(String path) throws Exception {
		try {
			return this.client.getChildren().forPath(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

}
