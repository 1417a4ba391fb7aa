package io.interlock.faults.worker;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.redis.LettuceConnections;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolver;
import io.lettuce.core.resource.MappingSocketAddressResolver;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection to Redis, or to a cluster of it.
 */
final class RedisConnections implements AutoCloseable {

	private static final String STANDALONE = "redis:";

	private static final String CLUSTER = "redis-cluster:";

	private final ClientResources resources;

	private final LettuceConnections connections;

	private RedisConnections(RedisConfiguration servers, ClientResources resources, Duration timeout) {
		this.resources = resources;
		this.connections = new LettuceConnections(new LettuceConnectionFactory(servers,
				LettuceClientConfiguration.builder().clientResources(resources).build()), timeout);
	}

	/**
	 * Return whether an address is one of Redis.
	 */
	static boolean isAt(String address) {
		return address.startsWith(STANDALONE) || address.startsWith(CLUSTER);
	}

	/**
	 * Connect.
	 * @param address {@code redis://host:port}, or
	 * {@code redis-cluster://host:link,host:link/port,port} with the ports that the
	 * masters tell, and the links by which they are reached
	 * @param timeout how long a command may take
	 */
	static RedisConnections at(String address, Duration timeout) {
		if (address.startsWith(STANDALONE)) {
			URI server = URI.create(address);
			return new RedisConnections(new RedisStandaloneConfiguration(server.getHost(), server.getPort()),
					ClientResources.create(), timeout);
		}
		String[] parts = address.substring(CLUSTER.length() + 2).split("/");
		List<String> links = List.of(parts[0].split(","));
		List<String> masters = new ArrayList<>();
		Map<HostAndPort, HostAndPort> linksByMaster = new HashMap<>();
		for (String port : parts[1].split(",")) {
			HostAndPort link = HostAndPort.parse(links.get(masters.size()));
			String master = link.getHostText() + ":" + port;
			masters.add(master);
			linksByMaster.put(HostAndPort.parse(master), link);
		}
		MappingSocketAddressResolver resolver = MappingSocketAddressResolver.create(DnsResolver.unresolved(),
				(master) -> linksByMaster.getOrDefault(master, master));
		return new RedisConnections(new RedisClusterConfiguration(masters),
				ClientResources.builder().socketAddressResolver(resolver).build(), timeout);
	}

	RedisConnectionFactory factory() {
		return this.connections.factory();
	}

	@Override
	public void close() {
		this.connections.close();
		this.resources.shutdown();
	}

}
