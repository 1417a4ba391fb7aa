package io.interlock.queue;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * One try of a lock that nobody in this JVM holds or waits for, past the queue: it does
 * not wait for others, so it must not stand before those that do. What it gets becomes a
 * tenure like any other.
 */
final class ProviderTry implements LockAttempt {

	private final LockAttempt attempt;

	private final Adoption adoption;

	private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

	ProviderTry(LockAttempt attempt, Adoption adoption) {
		this.attempt = attempt;
		this.adoption = adoption;
		attempt.outcome().whenComplete(this::ended);
	}

	private void ended(@Nullable Optional<LockHandle> grant, @Nullable Throwable failure) {
		if (grant != null) {
			this.outcome.complete(grant.map(this.adoption::adopt));
		}
		else {
			this.outcome.completeExceptionally(
					(failure != null) ? failure : new IllegalStateException("The provider answered nothing"));
		}
	}

	@Override
	public CompletableFuture<Optional<LockHandle>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		return this.attempt.phase();
	}

	@Override
	public void abandon() {
		this.attempt.abandon();
		// The answer is on its way if another thread brings it.
		this.outcome.handle((handle, failure) -> handle).join();
	}

	/**
	 * Makes a tenure of a grant.
	 */
	@FunctionalInterface
	interface Adoption {

		LockHandle adopt(LockHandle grant);

	}

}
