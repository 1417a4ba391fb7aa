package io.interlock.zookeeper.internal.node;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Whether the instances agree on how keys are hashed. Those that do not would use
 * different nodes for one lock, and exclude nothing. Invariant: with a secret no lock is
 * asked for before the agreement is known. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class KeyAgreement {

	private final @Nullable KeyHash hash;

	private @Nullable Consumer<String> listener;

	private volatile boolean reached;

	private volatile @Nullable String refusal;

	public KeyAgreement(@Nullable KeyHash hash) {
		this.hash = hash;
		this.reached = hash == null;
	}

	public @Nullable KeyHash hash() {
		return this.hash;
	}

	/** Let locks be asked for. */
	public void reach() {
		this.reached = true;
	}

	/** Let no lock be asked for any more. */
	public synchronized void refuse(String reason) {
		this.refusal = reason;
		if (this.listener != null) {
			this.listener.accept(reason);
		}
	}

	/** Pass on the reason of a refusal, at once if there is one already. */
	public synchronized void onRefusal(Consumer<String> action) {
		this.listener = action;
		if (this.refusal != null) {
			action.accept(this.refusal);
		}
	}

	/** Return whether requests for locks may be sent. */
	public boolean isReached() {
		return this.reached && this.refusal == null;
	}

	public @Nullable String refusal() {
		return this.refusal;
	}

}
