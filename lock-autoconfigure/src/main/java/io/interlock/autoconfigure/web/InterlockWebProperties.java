package io.interlock.autoconfigure.web;

import java.time.Duration;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.Ordered;

/**
 * Configuration properties for answers over HTTP.
 *
 * @param enabled Whether exceptions about locks that the application does not handle are
 * answered with a problem detail.
 * @param notAcquiredStatus Status of the answer when others hold the lock.
 * @param unavailableStatus Status of the answer when the lock service cannot be used.
 * @param interruptedStatus Status of the answer when the request was interrupted while it
 * waited for a lock.
 * @param lostStatus Status of the answer when a lock was lost while the request ran.
 * @param staleStatus Status of the answer when a resource refused a write because a later
 * holder has written there.
 * @param retryAfter Time after which clients may try again, told in whole seconds unless
 * a lock was lost. Zero leaves it to them.
 * @param order Order of these answers among the application's controller advice. The
 * default is the last place.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "interlock.web", ignoreUnknownFields = false)
record InterlockWebProperties(@DefaultValue("true") boolean enabled, @DefaultValue("409") int notAcquiredStatus,
		@DefaultValue("503") int unavailableStatus, @DefaultValue("503") int interruptedStatus,
		@DefaultValue("500") int lostStatus, @DefaultValue("409") int staleStatus,
		@DefaultValue("1s") Duration retryAfter,
		@DefaultValue("" + Ordered.LOWEST_PRECEDENCE) int order) implements InitializingBean {

	@Override
	public void afterPropertiesSet() {
		checkStatus("not-acquired-status", this.notAcquiredStatus);
		checkStatus("unavailable-status", this.unavailableStatus);
		checkStatus("interrupted-status", this.interruptedStatus);
		checkStatus("lost-status", this.lostStatus);
		checkStatus("stale-status", this.staleStatus);
		check(!this.retryAfter.isNegative(), "retry-after", this.retryAfter, "It must not be negative.");
	}

	long retryAfterSeconds() {
		return this.retryAfter.plusNanos(999_999_999).toSeconds();
	}

	private static void checkStatus(String name, int status) {
		check(status >= 400 && status <= 599, name, status, "It must be the status of an error, from 400 to 599.");
	}

	private static void check(boolean valid, String name, Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException("interlock.web." + name, value, reason);
		}
	}

}
