package io.interlock.provider;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Base of attempts that a provider decides under a lock of its own. Invariant: the
 * attempt is decided once, and the outcome is completed without that lock, by the thread
 * that has decided or by one that abandons, whichever comes first.
 *
 * @since 0.1.0
 */
public abstract class AbstractLockAttempt implements LockAttempt {

	private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

	private volatile @Nullable Runnable decision;

	/** Return whether the outcome is decided, though perhaps not complete yet. */
	public final boolean isDecided() {
		return this.decision != null;
	}

	/**
	 * Decide, unless that was done before. The caller has to {@link #complete()} later.
	 * @param completion completes the outcome
	 * @return whether this decision counts
	 */
	protected final synchronized boolean decide(Runnable completion) {
		if (isDecided()) {
			return false;
		}
		this.decision = completion;
		return true;
	}

	/** Complete the outcome as it was decided. Not to be called under a lock. */
	protected final void complete() {
		Runnable decision = this.decision;
		if (decision != null) {
			decision.run();
		}
	}

	@Override
	public final CompletableFuture<Optional<LockGrant>> outcome() {
		return this.outcome;
	}

}
