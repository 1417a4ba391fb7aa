package io.interlock.template;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

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
					"Lock %s is none of those that were acquired: %s".formatted(id, this.inOrder)));
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
		lastFirst(HoldHandle::close);
	}

	void giveBack() {
		lastFirst(HoldHandle::giveBack);
	}

	/** Close the handles on the body's thread. Without a result, no server is asked. */
	@Nullable LockLostException endBody(boolean returned) {
		AtomicReference<@Nullable LockLostException> loss = new AtomicReference<>();
		lastFirst((handle) -> {
			LockLostException next = handle.endBody(returned && loss.get() == null);
			loss.compareAndSet(null, next);
		});
		return loss.get();
	}

	private void lastFirst(Consumer<HoldHandle> action) {
		RuntimeException failure = null;
		Error error = null;
		for (int i = this.inOrder.size() - 1; i >= 0; i--) {
			try {
				action.accept(this.inOrder.get(i));
			}
			catch (RuntimeException ex) {
				failure = (failure != null) ? failure : ex;
			}
			catch (Error ex) {
				error = (error != null) ? error : ex;
			}
		}
		if (error != null) {
			throw error;
		}
		if (failure != null) {
			throw failure;
		}
	}

}
