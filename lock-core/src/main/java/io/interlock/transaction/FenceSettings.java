package io.interlock.transaction;

import java.time.Duration;
import java.util.function.Predicate;

import io.interlock.LockId;

import org.springframework.util.Assert;

/**
 * What a {@link TransactionFence} fences, and how.
 *
 * @param fenced which locks are fenced
 * @param scope what tells the locks of one store and application from others whose names
 * are the same: their tokens do not compare
 * @param patience how long a transaction waits for an open one of an earlier holder, in
 * full seconds, at least one, and at most for the time that it may take itself
 * @since 0.1.0
 */
public record FenceSettings(Predicate<LockId> fenced, String scope, Duration patience) {

	/** Check the arguments. */
	public FenceSettings {
		Assert.notNull(fenced, "'fenced' must not be null");
		Assert.notNull(scope, "'scope' must not be null");
		Assert.notNull(patience, "'patience' must not be null");
	}

}
