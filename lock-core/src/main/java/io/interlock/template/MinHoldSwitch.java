package io.interlock.template;

/**
 * Decides what becomes of minimum holds while their instance stops: they are released, or
 * left to the servers, if those keep them without this instance.
 */
final class MinHoldSwitch {

	private final Runnable left;

	private volatile boolean keepsNone;

	private volatile boolean leaves;

	private volatile boolean endsOthers;

	/** Create a switch that runs an action for each lock it has left to the servers. */
	MinHoldSwitch(Runnable left) {
		this.left = left;
	}

	void keepAll() {
		this.keepsNone = false;
		this.leaves = false;
	}

	void keepNone() {
		this.keepsNone = true;
	}

	boolean keepsNone() {
		return this.keepsNone;
	}

	/** Leave what the servers keep, and perhaps end what they do not. */
	void leave(boolean endOthers) {
		this.endsOthers = endOthers;
		this.leaves = true;
	}

	/** Return whether a lock is, or may yet be, left to the servers. */
	boolean mayLeave(MinHold kept) {
		return this.leaves && kept.mayOutlast();
	}

	/** Leave a kept lock to the servers if this instance stops, and return the news. */
	Runnable leaveIfStopping(MinHold kept) {
		return this.leaves ? kept.whenKnown((outlasts) -> leave(kept, outlasts)) : MinHold.NO_NEWS;
	}

	private Runnable leave(MinHold kept, boolean outlasts) {
		if (this.leaves && outlasts) {
			kept.leave();
			this.left.run();
		}
		if (!this.leaves) {
			// The instance has started again.
			kept.takeBack();
		}
		return (this.leaves && !outlasts && this.endsOthers) ? kept.end() : MinHold.NO_NEWS;
	}

}
