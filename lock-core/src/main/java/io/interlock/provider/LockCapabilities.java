package io.interlock.provider;

import java.util.ArrayList;
import java.util.List;

import io.interlock.LockMode;
import io.interlock.LockRequest;

/**
 * What a {@link LockProvider} can do. Other requests are refused with a clear error, at
 * start-up where that is known then.
 *
 * @param shared whether locks can be held in {@link LockMode#SHARED}
 * @param semaphore whether locks can be held in {@link LockMode#PERMIT}
 * @param fairBetweenInstances whether instances that wait have their turn in the order in
 * which they came
 * @param survivesFailOver whether a lock that was granted stays exclusive when the
 * servers fail over
 * @param outlivesInstance whether a lock that is {@linkplain LockGrant#keep kept} for a
 * time stays taken although its instance stops or crashes
 * @since 0.1.0
 */
public record LockCapabilities(boolean shared, boolean semaphore, boolean fairBetweenInstances,
		boolean survivesFailOver, boolean outlivesInstance) {

	/** Everything, as in ZooKeeper. */
	public static final LockCapabilities ALL = new LockCapabilities(true, true, true, true, true);

	/** Return whether requests with a mode are served. */
	public boolean supports(LockMode mode) {
		return switch (mode) {
			case EXCLUSIVE -> true;
			case SHARED -> this.shared;
			case PERMIT -> this.semaphore;
		};
	}

	/** Throw an {@link UnsupportedOperationException} if a request is not served. */
	public void check(LockRequest request) {
		if (!supports(request.mode())) {
			throw new UnsupportedOperationException(
					"Lock %s was requested in mode %s, which its provider does not support. %s".formatted(request.id(),
							request.mode(), remedy(request.mode())));
		}
	}

	/** Return a sentence on what to do about a mode that is not supported. */
	public String remedy(LockMode mode) {
		return "Use an exclusive lock, or a provider that supports %s, such as ZooKeeper (interlock.provider)."
			.formatted((mode == LockMode.PERMIT) ? "semaphores" : "shared locks");
	}

	/** Return the capabilities as a start-up log shows them. */
	@Override
	public String toString() {
		List<String> present = new ArrayList<>(List.of("exclusive"));
		List<String> absent = new ArrayList<>();
		(this.shared ? present : absent).add("shared");
		(this.semaphore ? present : absent).add("semaphore");
		(this.fairBetweenInstances ? present : absent).add("fairness between instances");
		(this.survivesFailOver ? present : absent).add("surviving fail-over");
		(this.outlivesInstance ? present : absent).add("minimum hold that outlives its instance");
		String text = "Supported: " + String.join(", ", present);
		return absent.isEmpty() ? text : text + ". Not supported: " + String.join(", ", absent);
	}

}
