package io.interlock.redis;

import java.nio.charset.StandardCharsets;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Further connections of Lettuce to the servers of a factory. Those to static addresses
 * of a master and its replicas share one connection that sends each command to one of
 * them: it has no messages, and waits for no replica. So these go to the master alone,
 * which is looked for when it is needed. Safe for use by many threads.
 */
final class MasterConnections implements AutoCloseable {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			MasterConnections.class.getClassLoader());

	private final LettuceConnectionFactory connections;

	private final RedisConfiguration servers;

	private @Nullable LettuceConnections master;

	private boolean closed;

	private MasterConnections(LettuceConnectionFactory connections) {
		this.connections = connections;
		this.servers = LettuceConnections.servers(connections);
	}

	/** Return further connections; {@code null} if these are not of Lettuce. */
	static @Nullable MasterConnections of(RedisConnectionFactory connections) {
		return (LETTUCE && connections instanceof LettuceConnectionFactory lettuce) ? new MasterConnections(lettuce)
				: null;
	}

	/** Return the same if the factory has static addresses, otherwise {@code null}. */
	static @Nullable MasterConnections ofStatic(RedisConnectionFactory connections) {
		MasterConnections master = of(connections);
		return (master != null && master.servers instanceof RedisStaticMasterReplicaConfiguration) ? master : null;
	}

	/**
	 * Return the connections, which blocks while the master is looked for.
	 * @throws LeaseStoreException if there is no master
	 */
	synchronized LettuceConnectionFactory factory() {
		if (this.closed) {
			throw LeaseStoreException.passing("the connection to Redis is closed", null);
		}
		LettuceConnections master = this.master;
		if (master == null) {
			master = (this.servers instanceof RedisStaticMasterReplicaConfiguration several) ? find(several)
					: to(this.servers);
			this.master = master;
		}
		return master.factory();
	}

	private LettuceConnections to(RedisConfiguration servers) {
		return new LettuceConnections(this.connections, servers,
				this.connections.getClientConfiguration().getCommandTimeout());
	}

	private LettuceConnections find(RedisStaticMasterReplicaConfiguration several) {
		RuntimeException failure = null;
		for (RedisStandaloneConfiguration node : several.getNodes()) {
			LettuceConnections candidate = to(withCredentials(node, several));
			try {
				if (isMaster(candidate.factory())) {
					return candidate;
				}
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
			candidate.close();
		}
		throw LeaseStoreException.passing("none of %s is a master that answers".formatted(RedisAddress.of(several)),
				failure);
	}

	private static RedisStandaloneConfiguration withCredentials(RedisStandaloneConfiguration node,
			RedisStaticMasterReplicaConfiguration several) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(node.getHostName(), node.getPort());
		server.setDatabase(several.getDatabase());
		server.setUsername(several.getUsername());
		server.setPassword(several.getPassword());
		return server;
	}

	@SuppressWarnings("deprecation")
	private static boolean isMaster(LettuceConnectionFactory candidate) {
		try (RedisConnection connection = candidate.getConnection()) {
			Object role = ((RedisAsyncCommands<?, ?>) connection.getNativeConnection()).getStatefulConnection()
				.sync()
				.role()
				.get(0);
			return role instanceof byte[] text && new String(text, StandardCharsets.UTF_8).equals("master");
		}
	}

	/** Look for the master again when it is needed next. */
	synchronized void lookAgain() {
		LettuceConnections master = this.master;
		this.master = null;
		if (master != null) {
			master.close();
		}
	}

	boolean isStatic() {
		return this.servers instanceof RedisStaticMasterReplicaConfiguration;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		lookAgain();
	}

}
