package io.interlock.template;

import java.time.Instant;

import io.interlock.LockId;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * What one thread of this JVM holds or waits for, at one moment.
 *
 * @param id which lock
 * @param mode how it is held or asked for
 * @param token fencing token of the hold, or {@code null} while waiting
 * @param valid whether the hold is known to be valid; {@code false} while waiting
 * @param thread name of the thread that asked for the lock
 * @param since when the hold or the wait began, by the wall clock of this machine
 * @since 0.1.0
 */
public record LockSnapshot(LockId id, LockMode mode, @Nullable Long token, boolean valid, String thread,
		Instant since) {

}
