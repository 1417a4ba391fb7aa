package io.interlock.redis;

import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

/**
 * Tells where the servers of a connection factory are. Each kind of factory has its own
 * getters, some of which answer with localhost whatever is used; all keep the
 * configuration that they were made with.
 */
final class RedisAddress {

	private RedisAddress() {
	}

	static String of(RedisConnectionFactory connections) {
		DirectFieldAccessor fields = new DirectFieldAccessor(connections);
		Object configuration = fields.isReadableProperty("configuration") ? fields.getPropertyValue("configuration")
				: null;
		return (configuration instanceof RedisConfiguration servers) ? of(servers)
				: connections.getClass().getSimpleName();
	}

	static String of(RedisConfiguration servers) {
		if (servers instanceof WithHostAndPort single) {
			return address(single.getHostName(), single.getPort());
		}
		if (servers instanceof ClusterConfiguration cluster) {
			return addresses(cluster.getClusterNodes());
		}
		if (servers instanceof SentinelConfiguration sentinel) {
			return addresses(sentinel.getSentinels());
		}
		if (servers instanceof WithDomainSocket local) {
			return local.getSocket();
		}
		if (servers instanceof RedisStaticMasterReplicaConfiguration several) {
			return join(several.getNodes().stream().map((node) -> address(node.getHostName(), node.getPort())));
		}
		return servers.getClass().getSimpleName();
	}

	private static String addresses(Collection<RedisNode> nodes) {
		return join(nodes.stream().map(RedisNode::asString));
	}

	private static String join(Stream<String> addresses) {
		return addresses.collect(Collectors.joining(","));
	}

	private static String address(String host, int port) {
		return host + ":" + port;
	}

}
