package io.interlock.curator;

import java.util.ArrayList;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockHandle;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Writes to ZooKeeper that happen only while a lock is held: in one transaction with a
 * check of the lock's own node, which is gone as soon as the lock is released or lost.
 * Nothing comes between the check and the write, so no token is needed.
 * <p>
 * The operations go to the ensemble and the chroot in which the lock is; the client may
 * be another one, and its namespace does not matter. The hold may be shared: writers of
 * shared holders are not kept apart, but no exclusive holder is beside them.
 *
 * @since 0.1.0
 */
public final class GuardedTransaction {

	private GuardedTransaction() {
	}

	/**
	 * Run operations if the lock is held, all or none of them.
	 * @param client what sends them
	 * @param lock the lock that guards them
	 * @param operations what to do, from {@link CuratorFramework#transactionOp()}
	 * @return the results of the operations, in their order
	 * @throws io.interlock.LockLostException if they were refused because the lock is
	 * lost
	 * @throws io.interlock.LockServiceUnavailableException if they were refused because
	 * the lock's node is gone, and the servers did not answer when they were asked why
	 * @throws IllegalStateException if the lock was released already, or the client is
	 * connected to another ensemble or chroot than the lock
	 * @throws IllegalArgumentException if the lock is not in ZooKeeper
	 * @throws Exception if the operations failed for another reason, as Curator says it
	 */
	public static List<CuratorTransactionResult> commit(CuratorFramework client, LockHandle lock,
			List<CuratorOp> operations) throws Exception {
		Assert.notEmpty(operations, "'operations' must not be empty");
		List<CuratorOp> guarded = new ArrayList<>();
		guarded.add(check(client, lock));
		guarded.addAll(operations);
		try {
			List<CuratorTransactionResult> results = client.transaction().forOperations(guarded);
			return List.copyOf(results.subList(1, results.size()));
		}
		catch (KeeperException.NoNodeException ex) {
			if (isRefusedByGuard(ex.getResults())) {
				throw refusal(lock, ex);
			}
			throw ex;
		}
	}

	/**
	 * Return the check of the lock's node, for a transaction that the caller puts
	 * together. It fails with {@link KeeperException.NoNodeException} when the lock is
	 * not held any more.
	 * @param client what sends the transaction
	 * @param lock the lock that guards the transaction
	 * @return an operation, best the first one of the transaction
	 * @throws IllegalArgumentException if the lock is not in ZooKeeper
	 * @throws Exception never in practice: Curator declares it
	 */
	public static CuratorOp check(CuratorFramework client, LockHandle lock) throws Exception {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(lock, "'lock' must not be null");
		CuratorLockHandle hold = lock.unwrap(CuratorLockHandle.class)
			.orElseThrow(() -> new IllegalArgumentException(
					"Lock %s is not held in ZooKeeper, so no ZooKeeper transaction can check it".formatted(lock.id())));
		return client.usingNamespace(null).transactionOp().check().forPath(hold.absolutePath());
	}

	private static boolean isRefusedByGuard(@Nullable List<OpResult> results) {
		return results != null && !results.isEmpty() && results.get(0) instanceof OpResult.ErrorResult error
				&& error.getErr() == KeeperException.Code.NONODE.intValue();
	}

	/**
	 * Ask the lock's own client why the node is missing.
	 */
	private static IllegalStateException refusal(LockHandle lock, KeeperException refusal) {
		try {
			lock.verify();
		}
		catch (LockException | IllegalStateException ex) {
			ex.addSuppressed(refusal);
			throw ex;
		}
		return new IllegalStateException(
				"Lock %s is held, but its node is not where the transaction was sent: the client must be connected to the ensemble and chroot of the lock"
					.formatted(lock.id()),
				refusal);
	}

}
