package io.interlock.curator;

import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Deletes lock nodes in the background, until it is done: what the connection does not
 * let through waits for the next one. Invariant: a release that was begun ends in an
 * answer of the servers, or with this client.
 */
final class Releases {

	private static final Log logger = LogFactory.getLog(Releases.class);

	private final SessionMonitor monitor;

	private final Queue<Release> waiting = new ConcurrentLinkedQueue<>();

	private final Set<CompletableFuture<Result>> underWay = ConcurrentHashMap.newKeySet();

	Releases(SessionMonitor monitor) {
		this.monitor = monitor;
	}

	/**
	 * Begin to delete a node.
	 * @param path the node
	 * @return completed on the client's event thread with what became of it
	 */
	CompletableFuture<Result> delete(String path) {
		Release release = new Release(this.monitor.handle().absolute(path), new CompletableFuture<>());
		this.underWay.add(release.done());
		release.done().whenComplete((result, failure) -> this.underWay.remove(release.done()));
		send(release, true);
		return release.done();
	}

	/**
	 * Wait for what is under way. What has no answer then ends with the session.
	 * @param timeout how long
	 */
	void await(Duration timeout) {
		CompletableFuture<?>[] all = this.underWay.toArray(CompletableFuture[]::new);
		try {
			CompletableFuture.allOf(all).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("%d lock nodes were not deleted within %s; they go when the session ends".formatted(pending(),
					timeout));
		}
	}

	int pending() {
		return this.underWay.size();
	}

	/**
	 * Go on with what an interruption of the connection held up.
	 */
	void connected() {
		for (Release release = this.waiting.poll(); release != null; release = this.waiting.poll()) {
			send(release, false);
		}
	}

	private void send(Release release, boolean first) {
		SessionStatus status = this.monitor.status();
		long epoch = status.epoch();
		if (!status.isConnected() && !status.isClosed()) {
			postpone(release);
			return;
		}
		try {
			this.monitor.handle()
				.current()
				.delete(release.path(), -1, (code, path, context) -> answered(release, Code.get(code),
						first && this.monitor.status().epoch() == epoch), null);
		}
		catch (IllegalStateException ex) {
			release.done().complete(Result.UNKNOWN);
		}
	}

	private void answered(Release release, Code code, boolean undisturbed) {
		switch (code) {
			case OK -> release.done().complete(Result.DELETED);
			case NONODE -> release.done().complete(undisturbed ? Result.GONE_BEFORE : Result.UNKNOWN);
			case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT -> postpone(release);
			default -> {
				logger.error("Lock node %s cannot be deleted: %s. It stays until the session ends"
					.formatted(release.path(), code));
				release.done().complete(Result.UNKNOWN);
			}
		}
	}

	private void postpone(Release release) {
		this.waiting.add(release);
		if (this.monitor.status().isConnected() && this.waiting.remove(release)) {
			send(release, false);
		}
	}

	/**
	 * What became of a node.
	 */
	enum Result {

		/**
		 * It was there and is deleted.
		 */
		DELETED,

		/**
		 * Somebody else had deleted it: the connection stood from the request to the
		 * answer.
		 */
		GONE_BEFORE,

		/**
		 * It is gone or going, and nobody can say when it went: an answer was lost.
		 */
		UNKNOWN

	}

	private record Release(String path, CompletableFuture<Result> done) {

	}

}
