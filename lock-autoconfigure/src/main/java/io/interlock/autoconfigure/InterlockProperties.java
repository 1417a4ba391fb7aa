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
 * @param enabled Whether to enable distributed locking. If disabled, the beans remain,
 * every lock is granted at once, and annotated methods run without locks, under a handle
 * that excludes nothing.
 * @param provider Store that holds the locks. Defaults to the only store on the class
 * path.
 * @param namespace Namespace that separates locks from those of other applications on the
 * same store. Up to 64 letters, digits, hyphens and underscores.
 * @param defaultWaitTime Time to wait for a lock if the code specifies none: a duration
 * with a unit, '0' to try once, or 'forever'. Tries and methods with SKIP do not wait by
 * default.
 * @param instanceId Identifier of this instance, stored with its locks. Defaults to
 * application name, host and process id.
 * @param tryTimeout Time limit for an attempt that does not wait for other holders. Five
 * seconds until the store has answered for the first time, unless startup-timeout waits
 * for it.
 * @param releaseTimeout Time to wait for the servers to confirm a release. Zero sends the
 * release without waiting. Locks that are released together are awaited together.
 * @param verifyTimeout Time to wait for the verification of a held lock.
 * @param maxKeys Maximum number of locks that can be requested at once.
 * @param leakDetection Whether to record where each lock handle is acquired, for the
 * warning about a lock that is not released. Costs a stack walk for each acquisition.
 * @param whenUnavailable Whether to wait or to fail if a lock is requested while the
 * connection to ZooKeeper is known to be down.
 * @param startupTimeout Time to wait on startup for the store of the locks: ZooKeeper,
 * database or Redis. The application fails to start without it. Zero starts without
 * waiting.
 * @param blockingOnEventLoop Whether to fail or to warn if a thread that must not block,
 * such as one of an event loop or of Reactor, would have to wait for a lock.
 * @param shutdownTimeout Time to wait for holders to release their locks when the
 * application stops. Defaults to the timeout of a shutdown phase.
 * @param minHoldAtShutdown What to do on shutdown with locks that only their minimum hold
 * time still keeps.
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
	 * @param waitTime Time to wait for the lock, overriding the code: a duration with a
	 * unit, '0' to try once, or 'forever'.
	 * @param onContention What annotated methods do if another holder keeps the lock for
	 * the whole wait time, overriding the code.
	 * @param enabled Whether annotated methods acquire the lock. If disabled, they run
	 * under a handle that excludes nothing.
	 * @param queueEnabled Whether the threads of this instance queue for the lock among
	 * themselves. Overrides interlock.queue.enabled.
	 * @param linger Time to keep the lock in this instance after its last use. Overrides
	 * interlock.queue.linger.
	 * @param fence Whether to fence transactions under the lock. Overrides
	 * interlock.transactions.fence.
	 */
	public record Lock(@Nullable WaitTime waitTime, @Nullable ContentionPolicy onContention,
			@DefaultValue("true") boolean enabled, @Nullable Boolean queueEnabled, @Nullable Duration linger,
			@Nullable Boolean fence) {

	}

	/**
	 * @param enabled Whether the threads of this instance queue for a lock among
	 * themselves. If disabled, each of them contends in the store by itself, on ZooKeeper
	 * in strict order of arrival.
	 * @param maxTenure Time after which a lock is no longer handed to the next thread of
	 * this instance, so that other instances get their turn. Zero never hands over.
	 * @param maxWaiting Maximum number of threads of this instance that may wait for one
	 * lock. Further threads are refused at once. No limit by default.
	 * @param linger Time to keep a lock in this instance after its last use, for its next
	 * thread, unless another instance requests the lock. Zero releases it at once.
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
	 * @param executor Name of the Executor that starts annotated methods with a future as
	 * their result, or of a TaskDecorator that does so. Defaults to a thread of
	 * Interlock.
	 */
	@ConfigurationProperties(prefix = "interlock.async", ignoreUnknownFields = false)
	public record Async(@Nullable String executor) {

	}

	/**
	 * @param enabled Whether annotated methods acquire locks. If disabled, they run under
	 * a handle that excludes nothing.
	 * @param order Order of the advisor for locks. Lower values run further outside.
	 * @param unproxied Whether to fail, to warn or to ignore it if a bean has no proxy,
	 * so that its annotated methods would run without their locks.
	 */
	@ConfigurationProperties(prefix = "interlock.annotations", ignoreUnknownFields = false)
	public record Annotations(@DefaultValue("true") boolean enabled, @DefaultValue("2147483547") int order,
			@DefaultValue("fail") UnproxiedBeans.Policy unproxied) {

	}

	/**
	 * @param mdc Whether to add name, key and token of the lock that a thread holds to
	 * its log lines (MDC).
	 */
	@ConfigurationProperties(prefix = "interlock.logging", ignoreUnknownFields = false)
	public record Logging(@DefaultValue("true") boolean mdc) {

	}

	/**
	 * @param requiresReadiness Whether this instance can lead only while the application
	 * is ready (ReadinessState). Applies if SpringApplication runs it.
	 */
	@ConfigurationProperties(prefix = "interlock.leader", ignoreUnknownFields = false)
	public record Leader(@DefaultValue("true") boolean requiresReadiness) {

	}

	/**
	 * @param enabled Whether to observe waits for locks and holds, so that they show up
	 * in traces.
	 */
	@ConfigurationProperties(prefix = "interlock.observations", ignoreUnknownFields = false)
	public record Observations(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * @param verifyBeforeCommit How to verify before a commit that the thread still holds
	 * its locks.
	 * @param fence Whether to refuse a transaction, before it reads anything, if a later
	 * holder of one of its locks has already run one. The database needs the table
	 * interlock_fence.
	 * @param initializeSchema When to create the table of the fence on startup.
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
	 * @param enabled Whether holders react to requests by operators to give up a lock,
	 * and whether the endpoint can free and hold locks. The endpoint also needs
	 * unrestricted access.
	 */
	@ConfigurationProperties(prefix = "interlock.admin", ignoreUnknownFields = false)
	public record Admin(@DefaultValue("false") boolean enabled) {

	}

}
