package io.interlock.template;

import java.time.Instant;
import java.util.List;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockOperator;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a lock that a thread of this JVM holds or waits for, or that is kept
 * after a hold.
 *
 * @param id which lock
 * @param mode mode in which it is held or requested
 * @param token fencing token of the hold, or {@code null} while waiting
 * @param valid whether the hold is known to be valid; {@code false} while waiting
 * @param handoff how often the grant was handed between threads of this JVM before this
 * hold, or {@code null} while waiting
 * @param thread name of the thread that requested the lock, or the text for the operator
 * @param since when the hold or the wait began, by the wall clock of this machine
 * @param stack current stack of the thread that requested the lock, perhaps outside the
 * code that the lock protects; empty unless requested
 * @param keptUntil when the lock is released, if its holder has ended the hold and it is
 * kept for the rest of its minimum time; {@code null} otherwise
 * @param waitsUntil when the wait ends at the latest; {@code null} if it has no limit,
 * and while the lock is held
 * @param operator for whom the lock was taken; {@code null} for a thread of the
 * application, and while waiting
 * @since 0.1.0
 */
public record LockSnapshot(LockId id, LockMode mode, @Nullable Long token, boolean valid, @Nullable Integer handoff,
		String thread, Instant since, List<StackTraceElement> stack, @Nullable Instant keptUntil,
		@Nullable Instant waitsUntil, @Nullable LockOperator operator) {

	public LockSnapshot {
		stack = List.copyOf(stack);
	}

	/** Create a snapshot of a hold of a thread, or of a wait without a limit. */
	public LockSnapshot(LockId id, LockMode mode, @Nullable Long token, boolean valid, @Nullable Integer handoff,
			String thread, Instant since, List<StackTraceElement> stack, @Nullable Instant keptUntil) {
		this(id, mode, token, valid, handoff, thread, since, stack, keptUntil, null, null);
	}

}
