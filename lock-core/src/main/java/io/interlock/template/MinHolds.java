package io.interlock.template;

import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The minimum holds of one instance. Decides what becomes of them: while the instance
 * runs they are kept, and while it stops they are released, or left to the servers, if
 * those keep them without it.
 */
final class MinHolds {

	private final Supplier<Stream<MinHold>> kept;

	private final Runnable left;

	private volatile boolean keepsNone;

	private volatile boolean leaves;

	private volatile boolean endsOthers;

	/**
	 * Create an instance for some holds.
	 * @param kept those that are kept now
	 * @param left run for each that was left to the servers
	 */
	MinHolds(Supplier<Stream<MinHold>> kept, Runnable left) {
		this.kept = kept;
		this.left = left;
	}

	boolean keepsNone() {
		return this.keepsNone;
	}

	/** Begin to keep a lock, unless none is kept any more, and return the news. */
	Runnable begin(MinHold kept, BooleanSupplier isLost) {
		kept.start();
		return (isLost.getAsBoolean() || this.keepsNone) ? kept.end() : leaveIfStopping(kept);
	}

	/** Keep locks again, and release those that were left when their time is over. */
	void keepAll() {
		this.keepsNone = false;
		this.leaves = false;
		this.kept.get().forEach(MinHold::takeBack);
	}

	void end() {
		end((kept) -> true);
	}

	private void end(Predicate<MinHold> meant) {
		this.kept.get().filter(meant).map(MinHold::end).toList().forEach(Runnable::run);
	}

	/** End all but those that are, or may yet be, left to the servers. */
	void keepNone() {
		this.keepsNone = true;
		end((kept) -> !this.leaves || !kept.mayOutlast());
	}

	/** Leave what the servers keep, and perhaps end what they do not. */
	void leave(boolean endOthers) {
		this.endsOthers = endOthers;
		this.leaves = true;
		this.kept.get().map(this::leaveIfStopping).toList().forEach(Runnable::run);
	}

	private Runnable leaveIfStopping(MinHold kept) {
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
