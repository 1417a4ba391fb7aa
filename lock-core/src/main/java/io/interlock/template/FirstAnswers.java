package io.interlock.template;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import org.jspecify.annotations.Nullable;

/**
 * How long a try may take. A store that has not answered yet may still be connecting,
 * which is neither contention nor an outage, so the first tries have longer. Invariant:
 * all of them end before the first use of the store is that long ago, or within the
 * ordinary time. Safe for use by many threads.
 */
final class FirstAnswers {

	private final Duration tryTimeout;

	private final Duration firstTryTimeout;

	private final LockTime time;

	/** Stores that have been asked, by the names of their providers. */
	private final Map<String, FirstUse> uses = new ConcurrentHashMap<>();

	FirstAnswers(LockSettings settings, LockTime time) {
		this.tryTimeout = settings.tryTimeout();
		this.firstTryTimeout = settings.firstTryTimeout();
		this.time = time;
	}

	/** Return how long a try may take that begins now. */
	Duration tryTimeout(LockRequest request) {
		if (this.firstTryTimeout.compareTo(this.tryTimeout) <= 0) {
			return this.tryTimeout;
		}
		FirstUse use = use(request);
		if (use.isAnswered) {
			return this.tryTimeout;
		}
		Duration left = this.firstTryTimeout.minusNanos(this.time.nanoTime() - use.beganAt);
		return (left.compareTo(this.tryTimeout) > 0) ? left : this.tryTimeout;
	}

	/** Note the answer of the store, if it is its first one. */
	void expect(LockRequest request, LockAttempt attempt) {
		FirstUse use = use(request);
		if (!use.isAnswered) {
			attempt.outcome().thenRun(() -> use.isAnswered = true);
		}
	}

	private FirstUse use(LockRequest request) {
		String provider = Objects.requireNonNullElse(request.id().provider(), "");
		FirstUse known = this.uses.get(provider);
		return (known != null) ? known
				: this.uses.computeIfAbsent(provider, (name) -> new FirstUse(this.time.nanoTime()));
	}

	private static final class FirstUse {

		private final long beganAt;

		private volatile boolean isAnswered;

		FirstUse(long beganAt) {
			this.beganAt = beganAt;
		}

	}

}
