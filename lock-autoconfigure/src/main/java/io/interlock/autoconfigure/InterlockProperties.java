package io.interlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.interceptor.UnproxiedBeans;
import io.interlock.interceptor.WaitTime;
import io.interlock.lease.LeaseSettings;
import io.interlock.transaction.CommitVerification;
import io.interlock.template.LockSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Configuration properties for distributed locks.
 *
 * @param enabled Whether distributed locking is enabled. Otherwise the beans stay, every
 * lock is granted at once, and annotated methods run without locks, under a handle that
 * excludes nothing.
 * @param provider Where locks come from. The only store on the class path when not set.
 * @param namespace What keeps the locks apart from those of other applications on the
 * same store, whose names may be the same. Up to 64 letters, digits, hyphens and
 * underscores.
 * @param defaultWaitTime Time to wait for a lock when none is given: a duration with a
 * unit, '0' to try once, or 'forever'. A method with SKIP and a try do not wait then.
 * @param instanceId Identifier of this instance, stored in lock nodes. Application name,
 * host and process id when not set.
 * @param tryTimeout Bound of one attempt without waiting for other holders. Five seconds
 * from the first one on, until the store has answered, unless startup-timeout waits for
 * it.
 * @param releaseTimeout Time that a release may wait for the answer of the servers. Zero
 * sends the release and does not wait. Locks that end together are awaited together.
 * @param verifyTimeout Time that a verification of a held lock may take.
 * @param maxKeys Number of locks that may be asked for at once.
 * @param leakDetection Whether to note where the handle of a lock is acquired, for the
 * warnings of a lock that is not released. It costs a walk of the stack in each
 * acquisition.
 * @param whenUnavailable What an acquisition does while the connection to ZooKeeper is
 * known to be down.
 * @param startupTimeout Time to wait on startup for the store of the locks: ZooKeeper,
 * database or Redis. The application does not start without it. Zero starts without
 * waiting.
 * @param blockingOnEventLoop What a thread of an event loop or of Reactor, which must not
 * block, does when it would have to wait for a lock.
 * @param shutdownTimeout Time that holders get to release their locks when the
 * application stops. The timeout of a shutdown phase when not set.
 * @param minHoldAtShutdown What happens to locks that nothing but their minimum hold time
 * keeps when the application stops.
 * @since 0.1.0
 */
@ConfigurationProperties("interlock")
public record InterlockProperties(@DefaultValue("true") boolean enabled, @Nullable String provider,
		@DefaultValue("") String namespace, @DefaultValue("10s") WaitTime defaultWaitTime, @Nullable String instanceId,
		@DefaultValue("1s") Duration tryTimeout, @DefaultValue("0s") Duration releaseTimeout,
		@DefaultValue("5s") Duration verifyTimeout, @DefaultValue("64") int maxKeys,
		@DefaultValue("false") boolean leakDetection, @DefaultValue("wait") WhenUnavailable whenUnavailable,
		@DefaultValue("0s") Duration startupTimeout, @DefaultValue("fail") LockSettings.OnEventLoop blockingOnEventLoop,
		@Nullable Duration shutdownTimeout,
		@DefaultValue("keep") MinHoldAtShutdown minHoldAtShutdown) implements InitializingBean {

	private static final String PREFIX = "interlock.";

	@Override
	public void afterPropertiesSet() {
		check(this.instanceId == null || StringUtils.hasText(this.instanceId), "instance-id", this.instanceId,
				"It must not be blank. Remove it to use application name, host and process id.");
		check(this.namespace.matches("[A-Za-z0-9_-]{0,64}"), "namespace", this.namespace,
				"It must have at most 64 characters: letters, digits, hyphens and underscores.");
		checkPositive("try-timeout", this.tryTimeout);
		checkPositive("verify-timeout", this.verifyTimeout);
		checkNotNegative("release-timeout", this.releaseTimeout);
		checkNotNegative("startup-timeout", this.startupTimeout);
		checkNotNegative("shutdown-timeout", this.shutdownTimeout);
		check(this.maxKeys > 0, "max-keys", this.maxKeys, "It must be more than zero.");
	}

	private static void checkNotNegative(String name, @Nullable Duration value) {
		check(value == null || !value.isNegative(), name, value, "It must not be negative.");
	}

	private static void checkPositive(String name, Duration value) {
		check(!value.isNegative() && !value.isZero(), name, value, "It must be more than zero.");
	}

	private static void check(boolean valid, String name, @Nullable Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
		}
	}

	/** Return what is configured, or application name, host and process id. */
	public String instanceId(Environment environment) {
		if (this.instanceId != null) {
			return this.instanceId;
		}
		String application = environment.getProperty("spring.application.name", "");
		return (StringUtils.hasText(application) ? application : "application") + "@" + host() + ":"
				+ ProcessHandle.current().pid();
	}

	/** Return how locks with a lease behave, with what they share with other locks. */
	public LeaseSettings leaseSettings(Duration lease, Duration pollInterval, int threads, Environment environment) {
		return new LeaseSettings(instanceId(environment), environment.getProperty("spring.application.name", ""), lease,
				pollInterval, this.verifyTimeout, threads, this.whenUnavailable == WhenUnavailable.FAIL_FAST);
	}

	/** Return the name of this host. */
	public static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

	/** What an acquisition does while the connection to ZooKeeper is known to be down. */
	public enum WhenUnavailable {

		/** Wait for the connection, at most for the wait time of the request. */
		WAIT,

		/** Fail at once, waiters included. */
		FAIL_FAST

	}

	/** What happens to kept locks when the application stops. */
	public enum MinHoldAtShutdown {

		/** Leave them to the servers. Release at once what needs a running instance. */
		KEEP,

		/** Release them at once. */
		RELEASE,

		/**
		 * Leave them to the servers. Wait until the time is over for those that the lock
		 * service keeps for a running instance only, at most for the shutdown timeout.
		 */
		WAIT

	}

	/** Overrides by lock name. */
	@RegisterReflectionForBinding(Lock.class)
	@ConfigurationProperties(prefix = "interlock.locks", ignoreUnknownFields = false)
	public static final class Locks extends LinkedHashMap<String, Lock> implements InitializingBean {

		private static final long serialVersionUID = 1L;

		@Override
		public void afterPropertiesSet() {
			forEach((name, lock) -> {
				check(StringUtils.hasText(name), "locks", name, "The name of a lock must not be blank.");
				checkNotNegative("locks." + name + ".linger", lock.linger());
			});
		}

	}

	/**
	 * @param waitTime Time to wait for the lock, whatever the code says: a duration with
	 * a unit, '0' to try once, or 'forever'.
	 * @param onContention What annotated methods do when another holder keeps the lock
	 * for the whole wait time, whatever the code says.
	 * @param enabled Whether annotated methods take the lock. Otherwise they run under a
	 * handle that excludes nothing.
	 * @param queueEnabled Whether the threads of this instance queue for the lock among
	 * themselves, whatever interlock.queue.enabled says.
	 * @param linger Time that the lock stays with this instance after its last use,
	 * whatever interlock.queue.linger says.
	 * @param fence Whether transactions under the lock are fenced, whatever
	 * interlock.transactions.fence says.
	 */
	public record Lock(@Nullable WaitTime waitTime, @Nullable ContentionPolicy onContention,
			@DefaultValue("true") boolean enabled, @Nullable Boolean queueEnabled, @Nullable Duration linger,
			@Nullable Boolean fence) {

	}

	/**
	 * @param enabled Whether the threads of this instance queue for a lock among
	 * themselves. Otherwise each of them contends in ZooKeeper, in strict order of
	 * arrival there.
	 * @param maxTenure Age from which a lock is not handed to the next thread of this
	 * instance any more, so that other instances have their turn. Zero never hands over.
	 * @param maxWaiting Number of threads of this instance that may wait for one lock;
	 * more are refused at once. No limit when not set.
	 * @param linger Time that a lock stays with this instance after its last use, for the
	 * next thread that asks, unless another instance asks for it. Zero for not at all.
	 */
	@ConfigurationProperties(prefix = "interlock.queue", ignoreUnknownFields = false)
	public record Queue(@DefaultValue("true") boolean enabled, @DefaultValue("50ms") Duration maxTenure,
			@Nullable Integer maxWaiting, @DefaultValue("0s") Duration linger) implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
			checkNotNegative("queue.max-tenure", this.maxTenure);
			checkNotNegative("queue.linger", this.linger);
			check(this.maxWaiting == null || this.maxWaiting > 0, "queue.max-waiting", this.maxWaiting,
					"It must be more than zero.");
		}

	}

	/**
	 * @param executor Name of the Executor where annotated methods that return futures
	 * begin, or of a TaskDecorator that has them begin. A thread of the library when not
	 * set.
	 */
	@ConfigurationProperties(prefix = "interlock.async", ignoreUnknownFields = false)
	public record Async(@Nullable String executor) {

	}

	/**
	 * @param enabled Whether annotated methods take locks. Otherwise they run under a
	 * handle that excludes nothing.
	 * @param order Order of the advisor. Lower values are further outside.
	 * @param unproxied What the start does about a bean whose annotated methods would run
	 * without their locks, because it has no proxy.
	 */
	@ConfigurationProperties(prefix = "interlock.annotations", ignoreUnknownFields = false)
	public record Annotations(@DefaultValue("true") boolean enabled, @DefaultValue("2147483547") int order,
			@DefaultValue("fail") UnproxiedBeans.Policy unproxied) {

	}

	/**
	 * @param mdc Whether name, key and token of the lock that a thread holds are in the
	 * context of its log lines (MDC).
	 */
	@ConfigurationProperties(prefix = "interlock.logging", ignoreUnknownFields = false)
	public record Logging(@DefaultValue("true") boolean mdc) {

	}

	/**
	 * @param requiresReadiness Whether this instance leads only while the application is
	 * ready (ReadinessState), if SpringApplication runs it.
	 */
	@ConfigurationProperties(prefix = "interlock.leader", ignoreUnknownFields = false)
	public record Leader(@DefaultValue("true") boolean requiresReadiness) {

	}

	/**
	 * @param enabled Whether waiting for locks and holding them is observed, so that
	 * tracing shows it.
	 */
	@ConfigurationProperties(prefix = "interlock.observations", ignoreUnknownFields = false)
	public record Observations(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * @param verifyBeforeCommit How a transaction makes sure before its commit that the
	 * locks of its thread are still held.
	 * @param fence Whether a transaction is refused, before it reads anything, if a later
	 * holder of a lock of its thread has run one. Its database needs the table
	 * interlock_fence.
	 * @param initializeSchema Whether to create the table of the fence.
	 */
	@ConfigurationProperties(prefix = "interlock.transactions", ignoreUnknownFields = false)
	public record Transactions(@DefaultValue("local") CommitVerification verifyBeforeCommit,
			@DefaultValue("false") boolean fence, @DefaultValue("embedded") InitializeSchema initializeSchema) {

	}

	/** Whether a table is created on startup. */
	public enum InitializeSchema {

		/** Always. */
		ALWAYS,

		/** In an embedded database only. */
		EMBEDDED,

		/** Never. */
		NEVER

	}

	/**
	 * @param enabled Whether holders listen to requests of operators to give a lock up,
	 * and locks are freed or held by the endpoint, which needs unrestricted access too.
	 */
	@ConfigurationProperties(prefix = "interlock.admin", ignoreUnknownFields = false)
	public record Admin(@DefaultValue("false") boolean enabled) {

	}

}
