package io.interlock.template;

import io.interlock.LockRequest;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;

import org.springframework.core.task.TaskDecorator;

/** What the acquisitions of one template share. */
record TemplateParts(LockProvider provider, LockSettings settings, HeldLocks heldLocks, LockListeners listeners,
		HoldParts holds, TaskDecorator bodies, StaleReads staleReads, FirstAnswers firstAnswers) {

	TemplateParts(LockProvider provider, LockSettings settings, HeldLocks heldLocks, LockListeners listeners,
			TaskDecorator bodies) {
		this(provider, settings, heldLocks, listeners, heldLocks.parts(settings, listeners), bodies, new StaleReads(),
				new FirstAnswers(settings, heldLocks.time()));
	}

	void check(LockRequest request) {
		this.provider.capabilities(request).check(request);
	}

	/** Turn a wait and its grant into a hold. If this throws, nothing is held. */
	Hold hold(Wait wait, LockGrant grant, Holder holder) {
		Hold hold = null;
		try {
			hold = new Hold(wait.request(), grant, this.holds, holder, this.heldLocks::remove);
			this.heldLocks.replace(wait, hold);
			hold.begin(wait.waited());
			hold.throwIfLost();
			return hold;
		}
		catch (RuntimeException | Error ex) {
			if (hold != null) {
				hold.outermost().giveBack();
			}
			else {
				grant.release();
			}
			throw ex;
		}
	}

}
