package io.interlock.test;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockRequest;

/**
 * Ends waits that would only take time, because no thread of the application can end
 * them. Invariant: such a wait is over, because {@link #look()} follows its beginning and
 * each change of what is in its way. A wait without a limit never ends here.
 */
final class VirtualWaits implements LockListener {

	private final Predicate<LockId> hopeless;

	private final Map<CompletableFuture<Void>, LockId> waits = new ConcurrentHashMap<>();

	/**
	 * Create an empty one.
	 * @param hopeless whether only time, or the test itself, can free a lock
	 */
	VirtualWaits(Predicate<LockId> hopeless) {
		this.hopeless = hopeless;
	}

	/**
	 * Begin a wait.
	 * @return completed when its time is to pass at once; cancelled by the caller when
	 * the wait is over
	 */
	CompletableFuture<Void> begin(LockRequest request) {
		CompletableFuture<Void> passed = new CompletableFuture<>();
		if (!LockRequest.FOREVER.equals(request.waitTime())) {
			this.waits.put(passed, request.id());
			passed.whenComplete((nothing, cancelled) -> this.waits.remove(passed));
			look();
		}
		return passed;
	}

	void look() {
		this.waits.forEach((passed, id) -> {
			if (this.hopeless.test(id)) {
				passed.complete(null);
			}
		});
	}

	@Override
	public void onKept(LockHandle handle, Duration held) {
		look();
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		look();
	}

	@Override
	public void onLost(LockHandle handle) {
		look();
	}

}
