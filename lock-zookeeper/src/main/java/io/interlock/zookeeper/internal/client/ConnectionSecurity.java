package io.interlock.zookeeper.internal.client;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.interlock.zookeeper.LockAcl;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Reports at start-up what an attacker on the network could do, or refuses to start.
 * Servers on the loopback interface alone, as in development, need no report.
 *
 * @since 0.1.0
 */
public final class ConnectionSecurity {

	private static final Log logger = LogFactory.getLog(ConnectionSecurity.class);

	private static final Weakness OPEN_LOCKS = new Weakness(
			"locks are open to every client, because interlock.zookeeper.acl is open. An attacker that reaches "
					+ "ZooKeeper can delete the node of a holder, so that two instances hold one lock, and can add a node "
					+ "that blocks a lock for every instance.",
			"Set interlock.zookeeper.acl=creator-all, and interlock.zookeeper.username with "
					+ "interlock.zookeeper.password, in all instances (docs/security.md says how to change a running "
					+ "system).");

	private static final Weakness CLEAR_PASSWORD = new Weakness(
			"interlock.zookeeper.password is sent without TLS. An attacker on the network reads the password, and can "
					+ "then do with locks what this application can.",
			"Set interlock.zookeeper.ssl.bundle, and interlock.zookeeper.connect-string to the ports for TLS of the "
					+ "servers.");

	/** Addresses that need no name service, which could answer anything. */
	private static final Pattern LOOPBACK = Pattern
		.compile("(.+\\.)?localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

	private ConnectionSecurity() {
	}

	/**
	 * Check a client after all customizers.
	 * @param required whether to refuse instead of a warning
	 * @throws ZooKeeperStartupException if required, and an attacker could do harm
	 */
	public static void check(CuratorFrameworkFactory.Builder builder, String connectString, LockAcl acl,
			boolean required) {
		List<Weakness> weaknesses = isLoopback(connectString) ? List.of() : weaknesses(builder, acl);
		if (required && !weaknesses.isEmpty()) {
			throw new ZooKeeperStartupException(
					"interlock.zookeeper.require-secure is true, but with ZooKeeper at '%s' %s".formatted(connectString,
							join(weaknesses.stream().map(Weakness::risk).toList())),
					join(weaknesses.stream().map(Weakness::remedy).toList()), null);
		}
		for (Weakness weakness : weaknesses) {
			logger.warn("With ZooKeeper at '%s' %s %s".formatted(connectString, weakness.risk(), weakness.remedy()));
		}
	}

	private static String join(List<String> sentences) {
		return String.join(" Also, ", sentences);
	}

	private static List<Weakness> weaknesses(CuratorFrameworkFactory.Builder builder, LockAcl acl) {
		List<Weakness> weaknesses = new ArrayList<>();
		if (acl == LockAcl.OPEN && builder.getAclProvider() instanceof DefaultACLProvider) {
			weaknesses.add(OPEN_LOCKS);
		}
		if (sendsPassword(builder) && !isEncrypted(builder)) {
			weaknesses.add(CLEAR_PASSWORD);
		}
		return weaknesses;
	}

	private static boolean sendsPassword(CuratorFrameworkFactory.Builder builder) {
		List<AuthInfo> credentials = builder.getAuthInfos();
		return credentials != null && credentials.stream().anyMatch((auth) -> auth.getScheme().equals("digest"));
	}

	private static boolean isEncrypted(CuratorFrameworkFactory.Builder builder) {
		ZKClientConfig config = builder.getZkClientConfig();
		return ((config != null) ? config : new ZKClientConfig()).getBoolean(ZKClientConfig.SECURE_CLIENT);
	}

	private static boolean isLoopback(String connectString) {
		return new ConnectStringParser(connectString).getServerAddresses()
			.stream()
			.map(InetSocketAddress::getHostString)
			.allMatch((host) -> LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches());
	}

	/** What an attacker can do, and what ends it. */
	private record Weakness(String risk, String remedy) {

	}

}
