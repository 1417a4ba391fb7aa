package io.interlock.transaction;

import java.time.Duration;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockProvider;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;

/**
 * Grants every lock at once, and loses or suspends those that are held on demand.
 */
final class InMemoryLocks implements LockProvider {

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller owner) {
		return this.provider.attempt(request, owner);
	}

	void loseAll() {
		granted().forEach(ScriptedGrant::lose);
	}

	void suspendAll(boolean answering) {
		granted().forEach((handle) -> {
			handle.suspend();
			handle.whenVerified(answering ? handle::resume : () -> {
				throw new LockServiceUnavailableException("no answer", handle.request().id(), Duration.ZERO, null);
			});
		});
	}

	/**
	 * Run an action on the thread that releases, when it begins to.
	 */
	void onRelease(Runnable action) {
		this.provider.answers((attempt) -> {
			attempt.granted().whenReleased(action);
			attempt.grant();
		});
	}

	ScriptedGrant last() {
		List<ScriptedGrant> granted = granted();
		return granted.get(granted.size() - 1);
	}

	int grants() {
		return granted().size();
	}

	int verifications() {
		return granted().stream().mapToInt(ScriptedGrant::verifications).sum();
	}

	private List<ScriptedGrant> granted() {
		return List.copyOf(this.provider.attempts()).stream().map(ScriptedAttempt::granted).toList();
	}

}
