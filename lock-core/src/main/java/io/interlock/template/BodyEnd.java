package io.interlock.template;

import java.util.ArrayList;
import java.util.List;

import io.interlock.LockLostException;
import io.interlock.LossPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The end of the body under one handle, which closes the handle on the thread that ran
 * the body, unless another one has closed it already. The lock is judged as it is now,
 * before its release: what neither the clock nor a server confirms is told as a loss. No
 * server is asked about a body that threw, because it has no result.
 */
final class BodyEnd {

	private final HoldHandle handle;

	private HoldEnd end = HoldEnd.NONE;

	private @Nullable Throwable doubt;

	private BodyEnd(HoldHandle handle) {
		this.handle = handle;
	}

	static @Nullable LockLostException of(HoldHandle handle, boolean returned) {
		BodyEnd body = new BodyEnd(handle);
		body.begin(returned);
		body.end.finish();
		return body.loss();
	}

	/**
	 * End a body under several locks. A lock in doubt comes behind those that are not,
	 * because its question may take long, and after a loss no server is asked.
	 * @return the first loss in the order of the handles
	 */
	static @Nullable LockLostException of(List<HoldHandle> handles, boolean returned) {
		List<BodyEnd> bodies = handles.stream().map(BodyEnd::new).toList();
		List<BodyEnd> inTurn = new ArrayList<>(bodies);
		inTurn.sort((body, other) -> Boolean.compare(body.isInDoubt(), other.isInDoubt()));
		try {
			HoldEnd.each(inTurn, (body) -> body.begin(returned && bodies.stream().noneMatch(BodyEnd::isLost)));
		}
		finally {
			HoldEnd.finish(bodies.stream().map((body) -> body.end).toList());
		}
		for (BodyEnd body : bodies) {
			LockLostException loss = body.loss();
			if (loss != null) {
				return loss;
			}
		}
		return null;
	}

	private void begin(boolean returned) {
		this.handle.leaveBody();
		boolean asked = returned && isInDoubt();
		this.doubt = asked ? doubt() : null;
		this.end = this.handle.beginClose(asked && this.doubt == null);
	}

	private boolean isInDoubt() {
		return !isSignalled() && this.handle.hold().isInDoubt();
	}

	private boolean isSignalled() {
		return this.handle.onLoss() == LossPolicy.SIGNAL;
	}

	private boolean isLost() {
		return !isSignalled() && (this.doubt != null || this.handle.isLost());
	}

	/** Ask on an interrupted thread too. Without an answer the hold still ends. */
	private @Nullable Throwable doubt() {
		boolean interrupted = Thread.interrupted();
		try {
			this.handle.hold().grant().verify();
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private @Nullable LockLostException loss() {
		if (!isLost()) {
			return null;
		}
		Throwable doubt = this.doubt;
		return (doubt == null || this.handle.isLost()) ? Failures.lost(this.handle)
				: Failures.inDoubt(this.handle, doubt);
	}

}
