package io.interlock.template;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.LockAttempt;
import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Attempts that one thread has begun before it is their turn, so that their answers come
 * together. None of them waits for other holders. Invariant: nothing is begun ahead while
 * the thread waits for other holders, because {@link #giveUp()} comes first.
 */
final class AttemptsAhead {

	private final LockProvider provider;

	private final Map<LockId, LockAttempt> begun = new HashMap<>();

	AttemptsAhead(LockProvider provider) {
		this.provider = provider;
	}

	boolean isEmpty() {
		return this.begun.isEmpty();
	}

	void begin(List<LockRequest> requests) {
		LockOwner owner = LockOwner.current();
		try {
			requests.forEach((request) -> this.begun.put(request.id(), this.provider.attemptAtOnce(request, owner)));
		}
		catch (RuntimeException ex) {
			// The attempt in its turn fails in the same way, and reports it.
			giveUp();
		}
	}

	/**
	 * Return the attempt for a lock whose turn has come. It belongs to the caller.
	 * @return the attempt, or {@code null} if there is none
	 */
	@Nullable LockAttempt take(LockId id) {
		return this.begun.remove(id);
	}

	/** Abandon the attempts, and release what they were or will be granted. */
	void giveUp() {
		List<LockAttempt> attempts = List.copyOf(this.begun.values());
		this.begun.clear();
		attempts.forEach(Acquisition::discard);
	}

}
