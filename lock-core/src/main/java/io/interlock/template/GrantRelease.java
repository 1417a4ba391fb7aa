package io.interlock.template;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.ReleasePolicy;
import io.interlock.provider.LockGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Releases the grant of a hold and reports a loss that the release finds; or lets an open
 * transaction keep the lock beyond its body. Only {@link OpenTransaction} needs Spring's
 * transactions on the class path.
 */
final class GrantRelease {

	private static final Log logger = LogFactory.getLog(GrantRelease.class);

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization", GrantRelease.class.getClassLoader());

	private GrantRelease() {
	}

	/** Release a grant. Actions for a loss run on another thread. Zero does not wait. */
	static void release(LockGrant grant, Actions<LockState> actions, Duration timeout) {
		try {
			CompletableFuture<LockState> release = grant.release();
			if (!release.isDone() && !timeout.isZero()) {
				await(release, grant.request().id(), timeout);
			}
			AtomicBoolean closing = new AtomicBoolean(true);
			release.thenAccept((state) -> {
				if (state == LockState.LOST) {
					actions.tellLast(state, closing.get() ? AsyncThreads::execute : Runnable::run);
				}
			});
			closing.set(false);
		}
		catch (RuntimeException ex) {
			logger.warn("Releasing lock %s failed; what the body returned or threw is not affected"
				.formatted(grant.request().id()), ex);
		}
	}

	private static void await(CompletableFuture<LockState> release, LockId id, Duration timeout) {
		long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
		boolean interrupted = false;
		try {
			while (!release.isDone()) {
				try {
					release.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			logger.warn(
					"Lock %s was not released within %s; the release goes on in the background".formatted(id, timeout));
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A release never fails", ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	static void keep(Hold hold, LockRequest request) {
		if (TRANSACTIONS_PRESENT && request.release() == ReleasePolicy.AFTER_TRANSACTION
				&& OpenTransaction.isToKeep(hold) && hold.join()) {
			OpenTransaction.closeAfterCompletion(HoldHandle.keep(hold, request));
		}
	}

	private record OpenTransaction(HoldHandle handle) implements TransactionSynchronization {

		static boolean isToKeep(Hold hold) {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive()
					&& TransactionSynchronizationManager.getSynchronizations()
						.stream()
						.noneMatch((other) -> other instanceof OpenTransaction open && open.handle.hold() == hold);
		}

		static void closeAfterCompletion(HoldHandle handle) {
			try {
				TransactionSynchronizationManager.registerSynchronization(new OpenTransaction(handle));
			}
			catch (RuntimeException | Error ex) {
				handle.giveBack();
				throw ex;
			}
		}

		// The connection is still out of its pool here, so the release is only started.
		@Override
		public void afterCompletion(int status) {
			this.handle.closeWithoutWaiting();
		}

	}

}
