package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.session.ClientHandle;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Asks a quorum whether locks are still held: a transaction that changes nothing and
 * checks their nodes. A read would not do, because a follower that is cut off answers it.
 */
final class Verification {

	/** Paths have up to a thousand bytes, and a request a million. */
	private static final int MAX_CHECKS = 100;

	/** A server that throttles, and a connection that is about to end, answer at once. */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final SessionMonitor monitor;

	private final Duration timeout;

	Verification(SessionMonitor monitor, Duration timeout) {
		this.monitor = monitor;
		this.timeout = timeout;
	}

	/**
	 * Verify holds, which are all there at one instant then. Too many for one transaction
	 * go into several.
	 */
	void verify(List<NodeGrant> holds) {
		long deadline = System.nanoTime() + this.timeout.toNanos();
		for (int from = 0; from < holds.size(); from += MAX_CHECKS) {
			verify(holds.subList(from, Math.min(from + MAX_CHECKS, holds.size())), deadline);
		}
	}

	private void verify(List<NodeGrant> holds, long deadline) {
		try {
			while (!areConfirmed(holds, deadline)) {
				long left = deadline - System.nanoTime();
				if (left <= 0) {
					throw notVerified(holds, 0, "the servers did not answer within %s".formatted(this.timeout), null);
				}
				TimeUnit.NANOSECONDS.sleep(Math.min(left, PAUSE_NANOS));
			}
		}
		catch (ClientClosedException ex) {
			throwIfLost(holds);
			throw notVerified(holds, 0, "the ZooKeeper client is closed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			LockId id = holds.get(0).request().id();
			throw new LockInterruptedException("Interrupted while lock %s was verified".formatted(id), id,
					Duration.ZERO, ex);
		}
	}

	private static LockServiceUnavailableException notVerified(List<NodeGrant> holds, int named, String reason,
			@Nullable Throwable cause) {
		LockId id = holds.get(named).request().id();
		String others = (holds.size() > 1) ? " and %d others".formatted(holds.size() - 1) : "";
		return new LockServiceUnavailableException("Lock %s%s could not be verified: %s".formatted(id, others, reason),
				id, Duration.ZERO, cause);
	}

	private boolean areConfirmed(List<NodeGrant> holds, long deadline) throws InterruptedException {
		throwIfLost(holds);
		if (!this.monitor.awaitConnected(deadline - System.nanoTime())) {
			return false;
		}
		throwIfLost(holds);
		long sentAt = System.nanoTime();
		Answer answer = check(holds, deadline);
		if (answer.code() == Code.NONODE) {
			NodeGrant gone = holds.get(answer.refused());
			gone.lose();
			gone.throwIfReleased();
		}
		if (answer.code() == Code.OK) {
			long now = System.nanoTime();
			holds.forEach((hold) -> hold.lease().confirmed(sentAt, now));
		}
		throwIfLost(holds);
		if (answer.code() != Code.OK && !ProviderFailures.isTransient(answer.code())) {
			throw notVerified(holds, answer.refused(), "the servers answer %s".formatted(answer.code()), null);
		}
		return answer.code() == Code.OK;
	}

	private Answer check(List<NodeGrant> holds, long deadline) throws InterruptedException {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		if (zooKeeper == null) {
			return new Answer(Code.CONNECTIONLOSS, 0);
		}
		List<Op> checks = holds.stream()
			.map((hold) -> Op.check(this.monitor.handle().absolute(hold.node().path()), -1))
			.toList();
		zooKeeper.multi(checks, (code, path, context, results) -> answer.complete(Answer.of(code, results)), null);
		try {
			return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			return new Answer(Code.OPERATIONTIMEOUT, 0);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("An answer never fails", ex);
		}
	}

	/** Return what a transaction has failed with: the first error among its results. */
	static Code codeOf(int code, @Nullable List<OpResult> results) {
		return Answer.of(code, results).code();
	}

	private static void throwIfLost(List<NodeGrant> holds) {
		for (NodeGrant hold : holds) {
			if (hold.isLost()) {
				throw new LockLostException("Lock %s was lost: others may hold it now".formatted(hold.request().id()),
						hold.request().id(), Duration.ZERO, null);
			}
		}
	}

	/** With the error and the index of the operation that was refused. */
	private record Answer(Code code, int refused) {

		static Answer of(int code, @Nullable List<OpResult> results) {
			for (int i = 0; results != null && i < results.size(); i++) {
				if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != 0) {
					return new Answer(ClientHandle.code(error.getErr()), i);
				}
			}
			return new Answer(ClientHandle.code(code), 0);
		}

	}

}
