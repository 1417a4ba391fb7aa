package io.interlock.benchmark.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockAttempt;
import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Grants locks in the order in which they are asked for, each to one holder at a time,
 * shared ones too. Costs as little as it can: what is measured is what stands before it.
 *
 * @since 0.1.0
 */
public final class InMemoryLockProvider implements LockProvider {

	private final Map<LockId, InMemoryAttempt> last = new ConcurrentHashMap<>();

	private final AtomicLong tokens = new AtomicLong();

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		InMemoryAttempt attempt = new InMemoryAttempt(this, request, this.tokens.incrementAndGet());
		InMemoryAttempt before = this.last.put(request.id(), attempt);
		if (before == null || !before.follow(attempt)) {
			attempt.grant();
		}
		return attempt;
	}

	/**
	 * A hold ends.
	 * @param attempt the attempt that was granted
	 * @param next the one that came after it, if it came already
	 */
	void ended(InMemoryAttempt attempt, @Nullable InMemoryAttempt next) {
		if (next != null) {
			next.grant();
		}
		else {
			this.last.remove(attempt.id(), attempt);
		}
	}

}
