package io.interlock.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;

/**
 * One lock that excludes as ZooKeeper does: nodes in the order of their creation, and a
 * thread of the service that tells who is first.
 */
final class SerialLockService implements LockProvider {

	private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> {
		Thread created = new Thread(task, "lock-service");
		created.setDaemon(true);
		return created;
	});

	private final List<Node> nodes = new ArrayList<>();

	private long tokens;

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		Node node = new Node(request);
		this.thread.execute(() -> create(node));
		return node;
	}

	int nodes() throws Exception {
		return this.thread.submit(this.nodes::size).get();
	}

	private void create(Node node) {
		if (node.outcome.isDone()) {
			return;
		}
		node.token = ++this.tokens;
		this.nodes.add(node);
		grantToTheFirst();
		if (Duration.ZERO.equals(node.request.waitTime()) && !node.outcome.isDone()) {
			delete(node);
			node.outcome.complete(Optional.empty());
		}
	}

	private void delete(Node node) {
		this.nodes.remove(node);
		grantToTheFirst();
	}

	private void grantToTheFirst() {
		for (Node node : List.copyOf(this.nodes)) {
			boolean writes = node.request.mode() == LockMode.EXCLUSIVE;
			if (writes && this.nodes.get(0) != node) {
				return;
			}
			if (!node.outcome.complete(Optional.of(node)) && node.outcome.isCancelled()) {
				this.nodes.remove(node);
			}
			if (writes && this.nodes.contains(node)) {
				return;
			}
		}
	}

	private final class Node implements LockAttempt, LockHandle {

		private final LockRequest request;

		private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

		private volatile long token;

		private volatile boolean closed;

		Node(LockRequest request) {
			this.request = request;
		}

		@Override
		public CompletableFuture<Optional<LockHandle>> outcome() {
			return this.outcome;
		}

		@Override
		public Phase phase() {
			return (this.token > 0) ? Phase.QUEUED : Phase.CREATING;
		}

		@Override
		public void abandon() {
			if (this.outcome.cancel(false)) {
				SerialLockService.this.thread.execute(() -> delete(this));
			}
		}

		@Override
		public LockId id() {
			return this.request.id();
		}

		@Override
		public LockMode mode() {
			return this.request.mode();
		}

		@Override
		public Instant acquiredAt() {
			return Instant.EPOCH;
		}

		@Override
		public long fencingToken() {
			return this.token;
		}

		@Override
		public boolean isValid() {
			return !this.closed;
		}

		@Override
		public void verify() {
		}

		@Override
		public void onLoss(Runnable action) {
		}

		@Override
		public void close() {
			if (this.closed) {
				throw new IllegalStateException("Released twice");
			}
			this.closed = true;
			SerialLockService.this.thread.execute(() -> delete(this));
		}

	}

}
