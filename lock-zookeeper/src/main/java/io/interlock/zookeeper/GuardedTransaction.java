package io.interlock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockServiceUnavailableException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.TypeAndPath;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
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

	private static final int FAILURES_OF_OTHERS = 20;

	private GuardedTransaction() {
	}

	/**
	 * Run operations if the lock is held, all or none of them. They are sent once:
	 * neither the retry policy nor the schemas of the client apply.
	 * @param client what sends them
	 * @param lock the lock that guards them
	 * @param operations what to do, from {@link CuratorFramework#transactionOp()}
	 * @return the results of the operations, in their order
	 * @throws io.interlock.LockLostException if they were refused because the lock is
	 * lost
	 * @throws TransactionInDoubtException if they may have been committed: no answer
	 * came, or the thread was interrupted while it waited for it, and still is
	 * @throws LockServiceUnavailableException if they were not sent, because the client
	 * is not connected, or if they were refused because the lock's node is gone, and the
	 * servers did not answer when they were asked why
	 * @throws IllegalStateException if the lock was released already, or the client is
	 * connected to another ensemble or chroot than the lock
	 * @throws IllegalArgumentException if the lock is not in ZooKeeper
	 * @throws Exception if the operations failed for another reason, as Curator says it
	 */
	public static List<CuratorTransactionResult> commit(CuratorFramework client, LockHandle lock,
			List<CuratorOp> operations) throws Exception {
		Assert.notEmpty(operations, "'operations' must not be empty");
		List<Op> guarded = new ArrayList<>();
		guarded.add(check(client, lock).get());
		operations.forEach((operation) -> guarded.add(operation.get()));
		if (!client.getZookeeperClient().blockUntilConnectedOrTimedOut()) {
			throw new LockServiceUnavailableException(
					"Nothing was sent under lock %s: the client is not connected to ZooKeeper".formatted(lock.id()),
					lock.id(), Duration.ZERO, null);
		}
		try {
			List<OpResult> results = handle(client).multi(guarded);
			return IntStream.range(0, operations.size())
				.mapToObj((i) -> result(client, operations.get(i).getTypeAndPath(), results.get(i + 1)))
				.toList();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new TransactionInDoubtException(lock, ex);
		}
		catch (KeeperException ex) {
			if (isUnanswered(ex.code())) {
				throw new TransactionInDoubtException(lock, ex);
			}
			throw isRefusedByGuard(ex.getResults()) ? refusal(lock, ex) : ex;
		}
	}

	/**
	 * Return the handle of a client. Curator throws failures of other threads from here,
	 * each once: they do not concern this transaction, of which nothing has been sent.
	 */
	private static ZooKeeper handle(CuratorFramework client) {
		for (int tries = 1;; tries++) {
			try {
				return client.getZookeeperClient().getZooKeeper();
			}
			catch (Exception ex) {
				if (tries == FAILURES_OF_OTHERS || client.getState() != CuratorFrameworkState.STARTED) {
					throw new IllegalStateException("There is no ZooKeeper handle", ex);
				}
			}
		}
	}

	private static boolean isUnanswered(Code code) {
		return switch (code) {
			case CONNECTIONLOSS, SESSIONEXPIRED, OPERATIONTIMEOUT, REQUESTTIMEOUT, MARSHALLINGERROR -> true;
			default -> false;
		};
	}

	private static CuratorTransactionResult result(CuratorFramework client, TypeAndPath asked, OpResult result) {
		String namespace = ZKPaths.fixForNamespace(client.getNamespace(), "/");
		String path = (result instanceof OpResult.CreateResult created) ? created.getPath() : null;
		if (path != null && namespace.length() > 1) {
			path = path.substring(namespace.length());
		}
		return new CuratorTransactionResult(asked.getType(), asked.getForPath(), path,
				(result instanceof OpResult.SetDataResult set) ? set.getStat() : null);
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
		ZooKeeperGrant grant = lock.unwrap(ZooKeeperGrant.class)
			.orElseThrow(() -> new IllegalArgumentException(
					"Lock %s is not held in ZooKeeper, so no ZooKeeper transaction can check it".formatted(lock.id())));
		return client.usingNamespace(null).transactionOp().check().forPath(grant.nodePath());
	}

	private static boolean isRefusedByGuard(@Nullable List<OpResult> results) {
		return results != null && !results.isEmpty() && results.get(0) instanceof OpResult.ErrorResult error
				&& error.getErr() == Code.NONODE.intValue();
	}

	/** Ask the lock's own client why the node is missing. */
	private static RuntimeException refusal(LockHandle lock, KeeperException refusal) {
		try {
			lock.verify();
		}
		catch (LockException | IllegalStateException ex) {
			ex.addSuppressed(refusal);
			return ex;
		}
		return new IllegalStateException(
				"Lock %s is held, but its node is not where the transaction was sent: the client must be connected to the ensemble and chroot of the lock"
					.formatted(lock.id()),
				refusal);
	}

}
