package io.interlock.zookeeper.internal.engine;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Creates nodes without waiting, each with the ACL that its client gives to the path. If
 * the ACL provider of the client is known, a request is sent once, in a known session.
 * The ACL provider of an application's client cannot be read: its requests go through
 * Curator, which may send them again after an interruption, in another session too.
 */
final class NodeCreator {

	private final CuratorFramework client;

	private final @Nullable ACLProvider acl;

	/**
	 * Create a creator.
	 * @param client a client that was started
	 * @param acl the ACL provider of that client, or {@code null} if it is not known
	 */
	NodeCreator(CuratorFramework client, @Nullable ACLProvider acl) {
		this.client = client;
		this.acl = acl;
	}

	/**
	 * Send a creation.
	 * @param requests for the request, if Curator is not needed
	 * @param path path of the node, up to its number
	 * @param data data of the node
	 * @param mode kind of the node
	 * @param answer told of the answer, once
	 * @throws IllegalStateException if the client is closed
	 */
	void create(Requests requests, String path, byte[] data, CreateMode mode, Answer answer) {
		if (this.acl != null) {
			requests.create(path, data, this.acl.getAclForPath(path), mode, answer);
			return;
		}
		try {
			this.client.create()
				.withMode(mode)
				.inBackground((from, event) -> answer.created(Code.get(event.getResultCode()), event.getName(),
						event.getStat()))
				.forPath(path, data);
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The creation of %s could not be sent".formatted(path), ex);
		}
	}

	/**
	 * Is told of a creation, on the event thread of a handle.
	 */
	@FunctionalInterface
	interface Answer {

		void created(Code code, @Nullable String name, @Nullable Stat stat);

	}

}
