package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Asks a quorum whether a lock is still held: a transaction that changes nothing and
 * checks its node. A read would not do, because a follower that is cut off answers it.
 */
final class Verification {

	private final SessionMonitor monitor;

	private final Duration timeout;

	Verification(SessionMonitor monitor, Duration timeout) {
		this.monitor = monitor;
		this.timeout = timeout;
	}

	/**
	 * Verify a hold.
	 * @param hold the hold
	 * @throws LockLostException if it is lost
	 * @throws LockServiceUnavailableException if no answer comes in time, or the client
	 * is closed
	 */
	void verify(NodeGrant hold) {
		long deadline = System.nanoTime() + this.timeout.toNanos();
		try {
			while (!isConfirmed(hold, deadline)) {
				if (deadline - System.nanoTime() <= 0) {
					throw notVerified(hold, "the servers did not answer within %s".formatted(this.timeout), null);
				}
			}
		}
		catch (ClientClosedException ex) {
			throwIfLost(hold);
			throw notVerified(hold, "the ZooKeeper client is closed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException("Interrupted while lock %s was verified".formatted(hold.id()), hold.id(),
					Duration.ZERO, ex);
		}
	}

	private static LockServiceUnavailableException notVerified(NodeGrant hold, String reason,
			@Nullable Throwable cause) {
		return new LockServiceUnavailableException("Lock %s could not be verified: %s".formatted(hold.id(), reason),
				hold.id(), Duration.ZERO, cause);
	}

	private boolean isConfirmed(NodeGrant hold, long deadline) throws InterruptedException {
		throwIfLost(hold);
		if (!this.monitor.awaitConnected(deadline - System.nanoTime())) {
			return false;
		}
		throwIfLost(hold);
		long sentAt = System.nanoTime();
		Code code = check(hold.node(), deadline);
		if (code == Code.NONODE) {
			hold.lose();
		}
		if (code == Code.OK) {
			hold.lease().confirmed(sentAt, System.nanoTime());
		}
		throwIfLost(hold);
		if (code != Code.OK && !ProviderFailures.isTransient(code)) {
			throw notVerified(hold, "the servers answer %s".formatted(code), null);
		}
		return code == Code.OK;
	}

	private Code check(LockNode node, long deadline) throws InterruptedException {
		CompletableFuture<Code> answer = new CompletableFuture<>();
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		if (zooKeeper == null) {
			return Code.CONNECTIONLOSS;
		}
		zooKeeper.multi(List.of(Op.check(this.monitor.handle().absolute(node.path()), -1)),
				(code, path, context, results) -> answer.complete(codeOf(code, results)), null);
		try {
			return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			return Code.OPERATIONTIMEOUT;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An answer never fails", ex);
		}
	}

	/**
	 * Return what a transaction has failed with: the first error among its results.
	 */
	static Code codeOf(int code, @Nullable List<OpResult> results) {
		if (results != null) {
			for (OpResult result : results) {
				if (result instanceof OpResult.ErrorResult error && error.getErr() != 0) {
					return ProviderFailures.codeOf(error.getErr());
				}
			}
		}
		return ProviderFailures.codeOf(code);
	}

	private void throwIfLost(NodeGrant hold) {
		if (hold.isLost()) {
			throw new LockLostException("Lock %s was lost: others may hold it now".formatted(hold.id()), hold.id(),
					Duration.ZERO, null);
		}
	}

}
