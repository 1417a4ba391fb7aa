package io.interlock.test.recipe;

import java.util.Optional;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockOperations;

import org.springframework.stereotype.Component;

/**
 * Gives each instance a slot of its own.
 */
@Component
class Slots {

	private final LockOperations locks;

	Slots(LockOperations locks) {
		this.locks = locks;
	}

	/**
	 * Lease a free slot of several.
	 * @return the slot, empty if all are taken
	 */
	Optional<Slot> lease(String name, int slots) {
		return IntStream.range(0, slots)
			.mapToObj((number) -> tryLease(name, number))
			.flatMap(Optional::stream)
			.findFirst();
	}

	private Optional<Slot> tryLease(String name, int number) {
		return this.locks.tryAcquire(LockRequest.exclusive(name).withKey(number))
			.map((lock) -> new Slot(number, lock.detach()));
	}

	/**
	 * A slot, until it is closed or lost.
	 */
	record Slot(int number, LockHandle lock) implements AutoCloseable {

		boolean isMine() {
			return this.lock.isValid();
		}

		@Override
		public void close() {
			this.lock.close();
		}

	}

}
