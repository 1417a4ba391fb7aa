package io.interlock.redis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.Assert;

/**
 * A connection for locks to the servers that the application uses. Its commands end in
 * time for a lease, an outage is told at once, and it is made again within a second after
 * the server is back.
 *
 * @since 0.1.0
 */
public final class LettuceConnections implements AutoCloseable {

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofSeconds(1);

	private final LettuceConnectionFactory factory;

	/**
	 * Create a connection, which is made when it is used first.
	 * @param application connections of the application
	 * @param timeout how long a command, and connecting, may take
	 */
	public LettuceConnections(LettuceConnectionFactory application, Duration timeout) {
		this(application, servers(application), timeout);
	}

	/** Create a connection to other servers. */
	LettuceConnections(LettuceConnectionFactory application, RedisConfiguration servers, Duration timeout) {
		Assert.isTrue(timeout.toMillis() > 0, () -> "'timeout' must be positive: " + timeout);
		LettuceClientConfiguration client = application.getClientConfiguration();
		Optional<ClientResources> resources = client.getClientResources().map(LettuceConnections::withShortDelay);
		this.factory = new LettuceConnectionFactory(servers,
				new LockClient(client, options(application, timeout), resources, timeout));
		this.factory.afterPropertiesSet();
		this.factory.start();
	}

	/**
	 * Return the same resources with another delay. A copy would have to be shut down,
	 * which stops the timer of the original.
	 */
	private static ClientResources withShortDelay(ClientResources resources) {
		Delay delay = Delay.exponential(Duration.ZERO, LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS);
		return (ClientResources) Proxy.newProxyInstance(LettuceConnections.class.getClassLoader(),
				new Class<?>[] { ClientResources.class },
				(proxy, method, arguments) -> method.getName().equals("reconnectDelay") ? delay
						: AopUtils.invokeJoinpointUsingReflection(resources, method,
								(arguments != null) ? arguments : new Object[0]));
	}

	/**
	 * Return where the servers are. The getters do not tell it for each way in which a
	 * factory can be made; some answer with localhost.
	 */
	static RedisConfiguration servers(LettuceConnectionFactory application) {
		Assert.notNull(application, "'application' must not be null");
		Object servers = new DirectFieldAccessor(application).getPropertyValue("configuration");
		Assert.state(servers instanceof RedisConfiguration,
				"The connection factory does not expose its servers. Set interlock.redis.dedicated-connection to "
						+ "false");
		return (RedisConfiguration) servers;
	}

	private static ClientOptions options(LettuceConnectionFactory application, Duration timeout) {
		ClientOptions options = application.getClientConfiguration()
			.getClientOptions()
			.orElseGet(() -> application.isClusterAware() ? ClusterClientOptions.create() : ClientOptions.create());
		Duration connect = options.getSocketOptions().getConnectTimeout();
		return options.mutate()
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.timeoutOptions(TimeoutOptions.enabled(timeout))
			.socketOptions(options.getSocketOptions()
				.mutate()
				.connectTimeout((connect.compareTo(timeout) < 0) ? connect : timeout)
				.build())
			.build();
	}

	/**
	 * {@return the connections}
	 */
	public LettuceConnectionFactory factory() {
		return this.factory;
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

	/**
	 * The configuration of the application, except for what locks need.
	 */
	private record LockClient(LettuceClientConfiguration application, ClientOptions options,
			Optional<ClientResources> resources, Duration timeout) implements LettuceClientConfiguration {

		@Override
		public boolean isUseSsl() {
			return this.application.isUseSsl();
		}

		@Override
		@SuppressWarnings("deprecation")
		public boolean isVerifyPeer() {
			return this.application.isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return this.application.getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return this.application.isStartTls();
		}

		@Override
		public Optional<ClientResources> getClientResources() {
			return this.resources;
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			return Optional.of(this.options);
		}

		@Override
		public Optional<String> getClientName() {
			return this.application.getClientName();
		}

		/**
		 * None: locks are not read from replicas.
		 */
		@Override
		public Optional<ReadFrom> getReadFrom() {
			return Optional.empty();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return this.application.getRedisCredentialsProviderFactory();
		}

		@Override
		public Duration getCommandTimeout() {
			return this.timeout;
		}

		@Override
		public Duration getShutdownTimeout() {
			return this.application.getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return this.application.getShutdownQuietPeriod();
		}

	}

}
