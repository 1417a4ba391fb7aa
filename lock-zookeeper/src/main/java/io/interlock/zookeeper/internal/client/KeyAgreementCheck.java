package io.interlock.zookeeper.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.interlock.zookeeper.internal.node.KeyAgreement;
import io.interlock.zookeeper.internal.node.KeyHash;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Finds out whether this instance hashes keys as the others do. The first one with a
 * secret leaves a fingerprint of it beside the locks. An instance with another secret, or
 * without one, is refused; one that is there already without a secret is refused when the
 * fingerprint appears.
 */
final class KeyAgreementCheck {

	/** No lock has such a name. */
	static final String NODE = "/.key-hash";

	private static final Log logger = LogFactory.getLog(KeyAgreementCheck.class);

	private final CuratorFramework client;

	private final String path;

	private final KeyAgreement agreement;

	KeyAgreementCheck(CuratorFramework client, String rootPath, KeyAgreement agreement) {
		this.client = client;
		this.path = rootPath + NODE;
		this.agreement = agreement;
	}

	void check() throws Exception {
		KeyHash hash = this.agreement.hash();
		if (hash == null) {
			checkThatKeysAreNotHashed();
			return;
		}
		byte[] fingerprint = hash.fingerprint().getBytes(StandardCharsets.US_ASCII);
		try {
			this.client.create().forPath(this.path, fingerprint);
		}
		catch (KeeperException.NodeExistsException ex) {
			if (!Arrays.equals(this.client.getData().forPath(this.path), fingerprint)) {
				throw refuse("with another secret");
			}
		}
		this.agreement.reach();
	}

	private void checkThatKeysAreNotHashed() throws Exception {
		boolean hashed = this.client.checkExists().usingWatcher((CuratorWatcher) (event) -> {
			if (event.getType() == EventType.NodeCreated) {
				ZooKeeperStartupException refusal = refuse("and this one does not");
				logger.error(refusal.getMessage() + " " + refusal.getAction());
			}
		}).forPath(this.path) != null;
		if (hashed) {
			throw refuse("and this one does not");
		}
	}

	private ZooKeeperStartupException refuse(String difference) {
		String description = "Other instances hash the keys of locks below this root path (%s), %s: the same lock would be two nodes, and exclude nothing."
			.formatted(this.path, difference);
		this.agreement.refuse("other instances hash keys, %s. Retrying will not help: correct interlock.key-hash-secret"
			.formatted(difference));
		return new ZooKeeperStartupException(description,
				"Set the same interlock.key-hash-secret in all instances. To change it, stop all instances and delete %s."
					.formatted(this.path),
				null);
	}

}
