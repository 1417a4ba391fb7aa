package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseTime;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.time.MovedTime;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Instances of an application on one server, each with connections of its own.
 */
final class RedisInstances implements AutoCloseable {

	private static final ClientResources RESOURCES = ClientResources.create();

	private final Duration lease;

	private final Duration pollInterval;

	/** {@code null} for the time of the system. */
	private final @Nullable MovedTime time;

	private final Map<LockProvider, TcpProxy> proxies = new HashMap<>();

	private final List<Runnable> closings = new ArrayList<>();

	RedisInstances(Duration lease) {
		this(lease, Duration.ofMillis(50));
	}

	RedisInstances(Duration lease, Duration pollInterval) {
		this(lease, pollInterval, null);
	}

	RedisInstances(Duration lease, Duration pollInterval, @Nullable MovedTime time) {
		this.lease = lease;
		this.pollInterval = pollInterval;
		this.time = time;
	}

	static RedisConfiguration server(int port) {
		return new RedisStandaloneConfiguration("127.0.0.1", port);
	}

	LettuceConnectionFactory connections(RedisConfiguration server) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(server,
				LettuceClientConfiguration.builder().clientResources(RESOURCES).build());
		LettuceConnections connections = new LettuceConnections(application, this.lease.dividedBy(3));
		this.closings.add(connections::close);
		return connections.factory();
	}

	/** Create a store whose locks are confirmed by replicas. */
	RedisLeaseStore store(RedisConfiguration server, int replicas, Duration timeout) {
		RedisLeaseStore store = new RedisLeaseStore(connections(server),
				new RedisLeaseStoreSettings("interlock:", Duration.ofMinutes(1), replicas, timeout));
		this.closings.add(0, store::close);
		return store;
	}

	RedisLeaseStore store(RedisConfiguration server) {
		LettuceConnectionFactory connections = connections(server);
		return new RedisLeaseStore((this.time != null) ? new MovedRedis(this.time).of(connections) : connections,
				new RedisLeaseStoreSettings("interlock:", Duration.ofMinutes(1)));
	}

	LeaseLockProvider start(RedisConfiguration server) {
		return start(server, new LeaseSettings("test", this.lease, this.pollInterval, Duration.ofSeconds(5), 4, false));
	}

	/** Start an instance whose locks are confirmed by a replica, or refused at once. */
	LeaseLockProvider startConfirmed(RedisConfiguration server, Duration timeout) {
		LeaseLockProvider provider = new LeaseLockProvider(store(server, 1, timeout),
				new LeaseSettings("test", this.lease, this.pollInterval, Duration.ofSeconds(5), 4, true));
		this.closings.add(0, provider::close);
		return provider;
	}

	LeaseLockProvider start(RedisServer server, LeaseSettings settings) {
		return start(server(server.port()), settings);
	}

	LeaseLockProvider start(RedisConfiguration server, LeaseSettings settings) {
		LeaseLockProvider provider = new LeaseLockProvider(store(server), settings,
				(this.time != null) ? new MovedLeaseTime(this.time) : LeaseTime.system());
		this.closings.add(0, provider::close);
		return provider;
	}

	LeaseLockProvider start(RedisServer server) {
		return start(server(server.port()));
	}

	/**
	 * Start an instance behind a proxy of its own.
	 */
	LeaseLockProvider startBehindProxy(RedisServer server) {
		TcpProxy proxy = TcpProxy.to(server.port());
		this.closings.add(proxy::close);
		LeaseLockProvider provider = start(server(proxy.port()));
		this.closings.add(0, proxy::heal);
		this.proxies.put(provider, proxy);
		return provider;
	}

	TcpProxy proxyOf(LockProvider instance) {
		return this.proxies.get(instance);
	}

	/**
	 * Return how many contenders of a lock have leases that run.
	 */
	static int contenders(RedisServer server, String name) {
		return contenders(server, name, Duration.ZERO);
	}

	static int contenders(RedisServer server, String name, Duration moved) {
		long now = (System.currentTimeMillis() + moved.toMillis()) * 1000;
		return (int) server.command("HVALS", "interlock:{" + name + "}")
			.stream()
			.map((value) -> value.split(" "))
			.filter((words) -> words.length > 6 && Long.parseLong(words[5]) > now)
			.count();
	}

	@Override
	public void close() {
		this.closings.forEach(Runnable::run);
	}

}
