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

	private final Listener listener;

	private volatile @Nullable LockAttempt attempt;

	private volatile boolean cancelled;

	FrontAttempt(QueuedAttempt first, LockProvider provider, Listener listener) {
		this.first = first;
		this.provider = provider;
		this.listener = listener;
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
			this.listener.ended(this, null, ex);
		}
	}

	private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		if (grant == null) {
			this.listener.ended(this, null, failure);
		}
		else {
			this.listener.ended(this, grant.orElse(null), grant.isPresent() ? null : new IllegalStateException(
					"The provider let no caller wait for lock " + this.first.request().id()));
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
		return (begun != null) ? begun.phase() : Phase.CREATING;
	}

	@Nullable Throwable obstacle() {
		LockAttempt begun = this.attempt;
		return (begun != null) ? begun.obstacle() : null;
	}

	/** Called once, with a grant or a failure. */
	@FunctionalInterface
	interface Listener {

		void ended(FrontAttempt attempt, @Nullable LockGrant grant, @Nullable Throwable failure);

	}

}
