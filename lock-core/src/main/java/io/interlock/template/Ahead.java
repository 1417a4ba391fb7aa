package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Attempts that one thread has begun before it is their turn, so that their answers come
 * together. None of them waits for other holders. Invariant: nothing is begun ahead while
 * the thread waits for other holders, because {@link #giveUp()} comes first.
 */
record Ahead(LockProvider provider, Map<LockId, LockAttempt> begun) {

	void begin(List<LockRequest> requests) {
		LockCaller caller = LockCaller.current().expectingFree();
		try {
			requests.forEach((request) -> this.begun.put(request.id(),
					this.provider.attempt(request.withWaitTime(Duration.ZERO), caller)));
		}
		catch (RuntimeException ex) {
			// The attempt in its turn fails in the same way, and reports it.
			giveUp();
		}
	}

	@Nullable LockAttempt take(LockId id) {
		return this.begun.remove(id);
	}

	void giveUp() {
		List<LockAttempt> attempts = List.copyOf(this.begun.values());
		this.begun.clear();
		attempts.forEach(Ahead::discard);
	}

	static void discard(LockAttempt attempt) {
		attempt.abandon();
		attempt.outcome().thenAccept((grant) -> grant.ifPresent(LockGrant::release));
	}

}
