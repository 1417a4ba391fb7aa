package io.interlock.queue;

import java.util.Optional;

import io.interlock.LockAttempt;
import io.interlock.LockAttempt.Phase;
import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of a queue at its provider. It belongs to the queue and not to the waiter
 * that it was begun for, who may give up: it has no deadline, and ends when nobody is
 * left whom it could serve. Begun and cancelled outside of the queue's lock, possibly by
 * two threads at once.
 */
final class Contention {

	private final LockRequest request;

	private final LockOwner owner;

	private volatile @Nullable LockAttempt attempt;

	private volatile boolean cancelled;

	Contention(Waiter first) {
		this.request = first.request();
		this.owner = first.owner();
	}

	/**
	 * Return whether what it is granted can be used by somebody.
	 * @param mode what he asks for
	 */
	boolean serves(LockMode mode) {
		return this.request.mode() == LockMode.EXCLUSIVE || mode == LockMode.SHARED;
	}

	void begin(LockProvider provider, Listener listener) {
		try {
			LockAttempt begun = provider.attempt(this.request, this.owner);
			this.attempt = begun;
			if (this.cancelled) {
				begun.abandon();
			}
			begun.outcome().whenComplete((grant, failure) -> listener.ended(this, grant, failure));
		}
		catch (RuntimeException | Error ex) {
			// An Error too: somebody may wait without a limit.
			listener.ended(this, null, ex);
		}
	}

	void cancel() {
		this.cancelled = true;
		LockAttempt begun = this.attempt;
		if (begun != null) {
			begun.abandon();
		}
	}

	Phase phase() {
		LockAttempt begun = this.attempt;
		return (begun != null) ? begun.phase() : Phase.CONNECTING;
	}

	/**
	 * Is told how it ended, once.
	 */
	@FunctionalInterface
	interface Listener {

		void ended(Contention contention, @Nullable Optional<LockHandle> grant, @Nullable Throwable failure);

	}

}
