package io.interlock.provider;

import java.util.function.Consumer;

import io.interlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Base of grants that tells the listener what a provider has noticed. Invariants: a state
 * is told only if it differs from the one noticed before, and none is after
 * {@link LockState#LOST}; a listener that is registered later hears of the newest one
 * only; the listener is called without a lock.
 * <p>
 * Safe for use by many threads. Two states that two threads tell may overlap, so that a
 * listener which blocks does not delay the news of a loss.
 *
 * @since 0.1.0
 */
public abstract class AbstractLockGrant implements LockGrant {

	private @Nullable Consumer<LockState> listener;

	private LockState noticed = LockState.VALID;

	/** Return whether {@link #tell} would notice a change. */
	protected final synchronized boolean isNews(LockState state) {
		return state != this.noticed && this.noticed != LockState.LOST && state != LockState.RELEASED;
	}

	/**
	 * Tell the listener, on this thread, or the one that is registered later. Has no
	 * effect unless the state {@linkplain #isNews is news}. Not to be called under a
	 * lock.
	 */
	protected final void tell(LockState state) {
		Consumer<LockState> listener;
		synchronized (this) {
			if (!isNews(state)) {
				return;
			}
			this.noticed = state;
			listener = this.listener;
		}
		if (listener != null) {
			listener.accept(state);
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The state is the one that was noticed last. A grant that knows a newer one
	 * {@linkplain #tell tells} it first.
	 */
	@Override
	public void onStateChange(Consumer<LockState> listener) {
		LockState missed;
		synchronized (this) {
			this.listener = listener;
			missed = this.noticed;
		}
		if (missed != LockState.VALID && state() != LockState.RELEASED) {
			listener.accept(missed);
		}
	}

}
