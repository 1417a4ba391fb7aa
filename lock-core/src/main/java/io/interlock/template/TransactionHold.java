package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Lets an open transaction keep a lock beyond its body. Only the nested type needs
 * Spring's transactions on the class path.
 */
final class TransactionHold {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			TransactionHold.class.getClassLoader());

	private TransactionHold() {
	}

	static void begin(HoldHandle handle, LockRequest request) {
		if (keep(handle.hold(), request)) {
			tellKept(List.of(handle));
		}
		else {
			tellAcquiredAgain(handle.hold());
		}
	}

	/** Return whether the open transaction, if any, keeps a lock that it did not keep. */
	static boolean keep(Hold hold, LockRequest request) {
		boolean keeps = TRANSACTIONS_PRESENT && request.release() == ReleasePolicy.AFTER_TRANSACTION
				&& OpenTransaction.lacks(hold) && hold.join();
		if (keeps) {
			OpenTransaction.closeAfterCompletion(HoldHandle.forTransaction(hold, request));
		}
		return keeps;
	}

	/** Tell the open transaction of locks that it keeps from now on. */
	static void tellKept(List<HoldHandle> locks) {
		OpenTransaction.tell((synchronization) -> synchronization.locksKept(locks));
	}

	/** Tell the open transaction, if any, of a lock that it keeps already. */
	static void tellAcquiredAgain(Hold hold) {
		if (TRANSACTIONS_PRESENT && OpenTransaction.keeps(hold)) {
			OpenTransaction.tell(LockSynchronization::lockAcquiredAgain);
		}
	}

	private record OpenTransaction(HoldHandle handle, Locks locks) implements TransactionSynchronization {

		static boolean lacks(Hold hold) {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive() && !keeps(hold);
		}

		static boolean keeps(Hold hold) {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& others().anyMatch((other) -> other.handle.hold() == hold);
		}

		private static Stream<OpenTransaction> others() {
			return TransactionSynchronizationManager.getSynchronizations()
				.stream()
				.filter(OpenTransaction.class::isInstance)
				.map(OpenTransaction.class::cast);
		}

		static void tell(Consumer<LockSynchronization> news) {
			TransactionSynchronizationManager.getSynchronizations()
				.stream()
				.filter(LockSynchronization.class::isInstance)
				.map(LockSynchronization.class::cast)
				.forEach(news);
		}

		static void closeAfterCompletion(HoldHandle handle) {
			try {
				Locks locks = others().findAny().map(OpenTransaction::locks).orElseGet(Locks::new);
				TransactionSynchronizationManager.registerSynchronization(new OpenTransaction(handle, locks));
				locks.open++;
			}
			catch (RuntimeException | Error ex) {
				handle.giveBack();
				throw ex;
			}
		}

		// The connection is still out of its pool here, so the release is only started.
		@Override
		public void afterCompletion(int status) {
			this.locks.close(this.handle);
		}

	}

	/**
	 * The locks of one transaction. Each is closed in its place among the
	 * synchronizations, and what may block waits until all are closed.
	 */
	private static final class Locks {

		private final List<HoldEnd> ended = new ArrayList<>();

		private int open;

		void close(HoldHandle handle) {
			this.open--;
			try {
				this.ended.add(handle.beginCloseWithoutWaiting());
			}
			finally {
				if (this.open == 0) {
					HoldEnd.finish(this.ended);
				}
			}
		}

	}

}
