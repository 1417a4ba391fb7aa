package io.interlock.template;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * The handles of locks acquired together, in their order. Invariant: they are closed
 * together, whatever the close of one of them throws.
 */
record HoldHandles(List<HoldHandle> inOrder) implements LockHandles {

	HoldHandles {
		inOrder = List.copyOf(inOrder);
	}

	@Override
	public List<LockHandle> handles() {
		return List.copyOf(this.inOrder);
	}

	@Override
	public LockHandle handle(LockId id) {
		return this.inOrder.stream()
			.filter((handle) -> handle.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"Lock %s is not one of the acquired locks: %s".formatted(id, this.inOrder)));
	}

	@Override
	public boolean isValid() {
		return this.inOrder.stream().allMatch(LockHandle::isValid);
	}

	@Override
	public void verify() {
		Hold.verify(this.inOrder.stream().map(HoldHandle::openHold).toList());
	}

	@Override
	public void close() {
		HoldEnd.together(lastFirst(), HoldHandle::beginClose);
	}

	void giveBack() {
		HoldEnd.together(lastFirst(), HoldHandle::beginGivingBack);
	}

	/** Close the handles on the body's thread. Without a result, no server is asked. */
	@Nullable LockLostException endBody(boolean returned) {
		return BodyEnd.of(lastFirst(), returned);
	}

	private List<HoldHandle> lastFirst() {
		List<HoldHandle> lastFirst = new ArrayList<>(this.inOrder);
		Collections.reverse(lastFirst);
		return lastFirst;
	}

}
