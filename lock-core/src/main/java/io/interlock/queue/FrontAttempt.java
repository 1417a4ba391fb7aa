package io.interlock.queue;

import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of a queue at the lock service. It belongs to the queue and not to the
 * waiter that it was begun for, which may give up: it has no deadline, and ends when no
 * waiter is left that it could serve. Begun and cancelled outside of the queue's lock,
 * possibly by two threads at once.
 */
final class FrontAttempt {

	private final QueuedAttempt first;

	private final LockProvider provider;

	private volatile @Nullable LockAttempt attempt;

	private volatile boolean cancelled;

	FrontAttempt(QueuedAttempt first, LockProvider provider) {
		this.first = first;
		this.provider = provider;
	}

	boolean serves(LockMode mode) {
		return this.first.mode() == LockMode.EXCLUSIVE || mode == this.first.mode();
	}

	void begin() {
		try {
			LockAttempt begun = this.provider.attempt(this.first.request(), this.first.caller());
			this.attempt = begun;
			if (this.cancelled) {
				begun.abandon();
			}
			begun.outcome().whenComplete(this::ended);
		}
		catch (RuntimeException | Error ex) {
			// Errors too: without an answer, a caller could wait for ever.
			ended(null, ex);
		}
	}

	private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		boolean refused = grant != null && grant.isEmpty();
		this.first.queue()
			.ended(this, (grant != null) ? grant.orElse(null) : null, refused
					? new IllegalStateException("The provider let no caller wait for lock " + this.first.request().id())
					: failure);
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
		return (begun != null) ? begun.phase() : Phase.CREATING;
	}

	@Nullable Throwable obstacle() {
		LockAttempt begun = this.attempt;
		return (begun != null) ? begun.obstacle() : null;
	}

}
