package io.interlock.template;

import java.time.Instant;
import java.util.List;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockOperator;
import org.jspecify.annotations.Nullable;

/**
 * A lock that one thread of this JVM holds, waits for, or has held and is kept, at one
 * moment.
 *
 * @param id which lock
 * @param mode how it is held or asked for
 * @param token fencing token of the hold, or {@code null} while waiting
 * @param valid whether the hold is known to be valid; {@code false} while waiting
 * @param handoff how often the grant had been handed from thread to thread of this JVM
 * before it came to this hold, or {@code null} while waiting
 * @param thread name of the thread that asked for the lock, or the text for the operator
 * @param since when the hold or the wait began, by the wall clock of this machine
 * @param stack where the thread that asked for the lock is now, which need not be in the
 * code that the lock protects; empty unless it was asked for
 * @param keptUntil when the lock is released, if its holder has ended the hold and it is
 * kept for the rest of its minimum time; {@code null} otherwise
 * @param waitsUntil when the wait ends at the latest; {@code null} if it has no limit,
 * and while the lock is held
 * @param operator in whose name the lock was taken; {@code null} for a thread of the
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
