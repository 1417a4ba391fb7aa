package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.curator.Peers;
import io.interlock.curator.WhenUnavailable;
import io.interlock.transaction.CommitVerification;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * Configuration properties for distributed locks.
 *
 * @param enabled Whether distributed locking is enabled.
 * @param rootPath Path below which lock nodes are created.
 * @param defaultWaitTime Time to wait for a lock when none is given: a duration with a
 * unit, '0' to try once, or 'forever'.
 * @param instanceId Identifier of this instance, stored in lock nodes. Application name,
 * host and process id when not set.
 * @param tryTimeout Bound of one attempt without waiting for other holders.
 * @param releaseTimeout Time that a release may keep its caller.
 * @param verifyTimeout Time that a verification of a held lock may take.
 * @param whenUnavailable What an acquisition does while the connection to ZooKeeper is
 * known to be down.
 * @param shutdownTimeout Time that holders get to release their locks when the
 * application stops. The timeout of a shutdown phase when not set.
 * @param locks Overrides by lock name: wait-time, on-contention, enabled, peers and
 * queue-enabled. Write names with special characters in brackets.
 * @param queue The queue of the threads of this instance for one lock.
 * @param annotations Annotated methods.
 * @param events Lock events.
 * @param logging Log lines of threads that hold a lock.
 * @param observations Observations of waiting and holding.
 * @param transactions Transactions that run under a lock.
 * @param admin What operators may do.
 * @since 0.1.0
 */
@ConfigurationProperties("interlock")
public record InterlockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("/interlock") String rootPath,
		@DefaultValue("10s") WaitTime defaultWaitTime, @Nullable String instanceId,
		@DefaultValue("1s") Duration tryTimeout, @DefaultValue("1s") Duration releaseTimeout,
		@DefaultValue("5s") Duration verifyTimeout, @DefaultValue("wait") WhenUnavailable whenUnavailable,
		@Nullable Duration shutdownTimeout, @DefaultValue Map<String, Lock> locks, @DefaultValue Queue queue,
		@DefaultValue Annotations annotations, @DefaultValue Events events, @DefaultValue Logging logging,
		@DefaultValue Observations observations, @DefaultValue Transactions transactions,
		@DefaultValue Admin admin) implements InitializingBean {

	private static final String PREFIX = "interlock.";

	/**
	 * Refuse values that could never work.
	 * @throws InvalidConfigurationPropertyValueException that names the property
	 */
	@Override
	public void afterPropertiesSet() {
		String reason = RootPath.reasonAgainst(this.rootPath);
		check(reason == null, "root-path", this.rootPath, reason);
		check(this.instanceId == null || StringUtils.hasText(this.instanceId), "instance-id", this.instanceId,
				"It must not be blank. Remove it to use application name, host and process id.");
		checkPositive("try-timeout", this.tryTimeout);
		checkPositive("verify-timeout", this.verifyTimeout);
		check(!this.releaseTimeout.isNegative(), "release-timeout", this.releaseTimeout, "It must not be negative.");
		Duration shutdownTimeout = this.shutdownTimeout;
		check(shutdownTimeout == null || !shutdownTimeout.isNegative(), "shutdown-timeout", shutdownTimeout,
				"It must not be negative.");
		checkQueue(this.queue);
		this.locks.forEach((name, lock) -> check(StringUtils.hasText(name), "locks", name,
				"The name of a lock must not be blank."));
	}

	private static void checkQueue(Queue queue) {
		check(!queue.maxTenure().isNegative(), "queue.max-tenure", queue.maxTenure(), "It must not be negative.");
		Integer handoffs = queue.maxHandoffs();
		check(handoffs == null || handoffs >= 0, "queue.max-handoffs", handoffs, "It must not be negative.");
		Integer waiting = queue.maxWaiting();
		check(waiting == null || waiting > 0, "queue.max-waiting", waiting, "It must be more than zero.");
	}

	private static void checkPositive(String name, Duration value) {
		check(!value.isNegative() && !value.isZero(), name, value, "It must be more than zero.");
	}

	private static void check(boolean valid, String name, @Nullable Object value, @Nullable String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
		}
	}

	/**
	 * Overrides for one lock name.
	 *
	 * @param waitTime Time to wait for the lock, whatever the code says: a duration with
	 * a unit, '0' to try once, or 'forever'.
	 * @param onContention What annotated methods do when somebody else holds the lock for
	 * the whole wait time, whatever the code says.
	 * @param enabled Whether annotated methods take the lock.
	 * @param peers Kind of plain Curator clients on the same path.
	 * @param queueEnabled Whether the threads of this instance queue for the lock among
	 * themselves, whatever interlock.queue.enabled says.
	 */
	public record Lock(@Nullable WaitTime waitTime, @Nullable ContentionPolicy onContention,
			@DefaultValue("true") boolean enabled, @DefaultValue("mutex") Peers peers, @Nullable Boolean queueEnabled) {

	}

	/**
	 * The queue of the threads of this instance for one lock.
	 *
	 * @param enabled Whether the threads of this instance queue for a lock among
	 * themselves. Otherwise each of them contends in ZooKeeper, in strict order of
	 * arrival there.
	 * @param maxTenure Age from which a lock is not handed to the next thread of this
	 * instance any more, so that other instances have their turn. Zero never hands over.
	 * @param maxHandoffs How often a lock is handed to the next thread of this instance
	 * before others have their turn. No limit when not set.
	 * @param maxWaiting Number of threads of this instance that may wait for one lock;
	 * more are refused at once. No limit when not set.
	 */
	public record Queue(@DefaultValue("true") boolean enabled, @DefaultValue("50ms") Duration maxTenure,
			@Nullable Integer maxHandoffs, @Nullable Integer maxWaiting) {

	}

	/**
	 * Annotated methods.
	 *
	 * @param enabled Whether annotated methods are intercepted.
	 * @param order Order of the advisor. Lower values are further outside.
	 */
	public record Annotations(@DefaultValue("true") boolean enabled, @DefaultValue("2147483547") int order) {

	}

	/**
	 * Lock events.
	 *
	 * @param enabled Whether lock events are published to the application context.
	 */
	public record Events(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * Log lines of threads that hold a lock.
	 *
	 * @param mdc Whether name, key and token of the lock that a thread holds are in the
	 * context of its log lines (MDC).
	 */
	public record Logging(@DefaultValue("true") boolean mdc) {

	}

	/**
	 * Observations of waiting and holding.
	 *
	 * @param enabled Whether waiting for locks and holding them is observed, so that
	 * tracing shows it.
	 */
	public record Observations(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * Transactions that run under a lock.
	 *
	 * @param verifyBeforeCommit How a transaction makes sure before its commit that the
	 * locks of its thread are still held.
	 */
	public record Transactions(@DefaultValue("local") CommitVerification verifyBeforeCommit) {

	}

	/**
	 * What operators may do.
	 *
	 * @param enabled Whether holders listen to requests of operators to give a lock up,
	 * and locks can be freed through the endpoint, which needs unrestricted access too.
	 */
	public record Admin(@DefaultValue("false") boolean enabled) {

	}

}
