package io.interlock.sample.settlement;

import java.math.BigDecimal;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The latest settlement.
 *
 * @param instance name of the instance that ran it, or {@code null} before the first one
 * @param settledAt when it ran, or {@code null} before the first one
 * @param runs how many there were so far
 * @param tickets how many tickets it settled
 * @param amount what those tickets cost together
 * @param token fencing token of the lock it ran under
 */
record Settlement(@Nullable String instance, @Nullable Instant settledAt, long runs, long tickets, BigDecimal amount,
		long token) {

}
