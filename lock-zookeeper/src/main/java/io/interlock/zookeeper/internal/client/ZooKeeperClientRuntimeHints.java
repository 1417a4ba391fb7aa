package io.interlock.zookeeper.internal.client;

import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.server.quorum.MultipleAddresses;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Hints for what ZooKeeper and Curator look up by name: the sockets, and the members by
 * which Curator tells versions of ZooKeeper apart.
 *
 * @since 0.1.0
 */
public class ZooKeeperClientRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(ClientCnxnSocketNIO.class, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)
			.registerTypeIfPresent(classLoader, ClientTls.SOCKET, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)
			.registerType(AddWatchMode.class)
			.registerType(MultipleAddresses.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(QuorumPeer.QuorumServer.class, MemberCategory.ACCESS_PUBLIC_FIELDS);
	}

}
