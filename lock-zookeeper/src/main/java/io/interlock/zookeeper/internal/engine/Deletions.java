package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * Deletes, replaces or watches lock nodes in the background. A request that is not
 * answered is sent again when the servers can be reached. Invariant: a deletion ends with
 * an answer of the servers, or with the client, which may outlive this instance. One that
 * begins after the end of the client is sent once.
 */
final class Deletions {

	private static final Log logger = LogFactory.getLog(Deletions.class);

	private final Engine engine;

	private final Queue<Deletion> waiting = new ConcurrentLinkedQueue<>();

	private final Set<CompletableFuture<Result>> underWay = ConcurrentHashMap.newKeySet();

	/** Nodes that are about to go, so nobody waits for them. */
	private final Set<String> going = ConcurrentHashMap.newKeySet();

	private final Runnable onPostponed;

	/** {@code onPostponed} makes sure that {@link #resume} is called. */
	Deletions(Engine engine, Runnable onPostponed) {
		this.engine = engine;
		this.onPostponed = onPostponed;
	}

	/** Begin to delete a node; completed on the client's event thread. */
	CompletableFuture<Result> delete(String path) {
		this.going.add(path);
		CompletableFuture<Result> gone = begin(path, true, (requests, answer) -> requests.delete(path, answer));
		gone.whenComplete((result, failure) -> this.going.remove(path));
		return gone;
	}

	/**
	 * Return whether a node that a listing shows is about to be deleted. The listing
	 * comes before the answer to the deletion if it was made before it.
	 */
	boolean isGoing(String path) {
		return this.going.contains(path);
	}

	/**
	 * Begin to replace a node by another one, which was never there. Completed with
	 * {@link Result#DELETED} if that took its place. A refusal is final: what the servers
	 * refuse once, such as a node beyond a quota, they may refuse for ever.
	 */
	CompletableFuture<Result> replace(String path, String by, byte[] data) {
		// The other node is there if the answer to an earlier request was lost.
		return begin(path, false, (requests, answer) -> this.engine.replace(requests, path, by, data,
				(code) -> answer.accept((code == Code.NODEEXISTS) ? Code.OK : code)));
	}

	/**
	 * Watch a node without a session, until an event or the end of this client's session.
	 */
	void watch(String path, Runnable onMissing, Consumer<EventType> onEvent) {
		if (this.engine.status().isClosed()) {
			return;
		}
		send(new Deletion(path, true, (requests, answer) -> requests.watch(path, (code) -> {
			if (code == Code.NONODE) {
				onMissing.run();
			}
			answer.accept((code != Code.NONODE && ProviderFailures.isTransient(code)) ? code : Code.OK);
		}, onEvent), new CompletableFuture<>()), true);
	}

	/**
	 * Begin to delete the nodes of an attempt whose names are not known, because the
	 * answer to a creation was lost. Completed when there are none left.
	 */
	CompletableFuture<Result> deleteAll(String lockPath, String prefix) {
		// A server may lag behind the one that took the creation.
		return begin(lockPath, true, (requests, answer) -> requests.listNewest(lockPath, (code, names) -> {
			CompletableFuture<?>[] gone = names.stream()
				.filter((name) -> name.startsWith(prefix))
				.map((name) -> delete(lockPath + "/" + name))
				.toArray(CompletableFuture[]::new);
			CompletableFuture.allOf(gone).thenRun(() -> answer.accept(code));
		}));
	}

	/** Note that a deletion is owed. An answer that is still to come tells which node. */
	CompletableFuture<Result> owe() {
		CompletableFuture<Result> done = new CompletableFuture<>();
		this.underWay.add(done);
		done.whenComplete((result, failure) -> this.underWay.remove(done));
		return done;
	}

	private CompletableFuture<Result> begin(String path, boolean insists,
			BiConsumer<Requests, Consumer<Code>> request) {
		Deletion deletion = new Deletion(path, insists, request, owe());
		send(deletion, true);
		return deletion.done();
	}

	/** Wait for the deletions under way; the future may be completed later. */
	CompletableFuture<?> await(Duration timeout) {
		CompletableFuture<?> all = CompletableFuture.allOf(this.underWay.toArray(CompletableFuture[]::new));
		try {
			all.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn(("%d lock nodes were not deleted within %s; they are deleted when the servers answer, or "
					+ "when the session ends")
				.formatted(pending(), timeout));
		}
		return all;
	}

	int pending() {
		return this.underWay.size();
	}

	boolean isWaiting() {
		return !this.waiting.isEmpty();
	}

	/** Continue with the deletions that an interruption of the connection held up. */
	void resume() {
		SessionStatus status = this.engine.status();
		if (!status.isConnected() && !status.isClosed()) {
			return;
		}
		for (int left = this.waiting.size(); left > 0; left--) {
			Deletion deletion = this.waiting.poll();
			if (deletion != null) {
				send(deletion, false);
			}
		}
	}

	private void send(Deletion deletion, boolean first) {
		try {
			SessionStatus status = this.engine.status();
			Requests requests = this.engine.anyRequests();
			// A closed handle answers too, at once.
			boolean last = status.isClosed() && deletion.insists();
			if (requests == null || !(status.isConnected() || last)) {
				postpone(deletion);
				return;
			}
			long epoch = status.epoch();
			deletion.request()
				.accept(requests, (code) -> answered(deletion, code, first && this.engine.status().epoch() == epoch));
		}
		catch (Throwable ex) {
			// Errors too: a node that stays without a holder would block the lock.
			notSent(deletion, first, ex);
		}
	}

	private void notSent(Deletion deletion, boolean first, Throwable failure) {
		if (deletion.insists() || failure instanceof Error) {
			postpone(deletion);
			if (first) {
				logger.warn("The request for lock node %s failed; it is sent again".formatted(deletion.path()),
						failure);
			}
		}
		else {
			// The client looks up the ACL of a replacement, which may fail.
			logger.error("Lock node %s cannot be replaced. It stays until the session ends".formatted(deletion.path()),
					failure);
			deletion.done().complete(Result.REFUSED);
		}
	}

	private void answered(Deletion deletion, Code code, boolean undisturbed) {
		switch (code) {
			case OK -> deletion.done().complete(Result.DELETED);
			case NONODE -> deletion.done().complete(undisturbed ? Result.GONE_BEFORE : Result.UNKNOWN);
			case NOAUTH, AUTHFAILED, INVALIDACL, BADARGUMENTS, UNIMPLEMENTED -> refused(deletion, code);
			default -> {
				if (deletion.insists() || ProviderFailures.isTransient(code)) {
					postpone(deletion);
				}
				else {
					refused(deletion, code);
				}
			}
		}
	}

	private static void refused(Deletion deletion, Code code) {
		logger.error("Lock node %s cannot be %s: %s. It stays until the session ends".formatted(deletion.path(),
				deletion.insists() ? "deleted" : "replaced", code));
		deletion.done().complete(Result.REFUSED);
	}

	/** Send a deletion again at the next {@link #resume}. */
	private void postpone(Deletion deletion) {
		if (this.engine.status().isClosed()) {
			deletion.done().complete(Result.UNKNOWN);
			return;
		}
		this.waiting.add(deletion);
		this.onPostponed.run();
	}

	/** What became of a node. */
	enum Result {

		/** It was there and is deleted. */
		DELETED,

		/** Another client had deleted it: the connection stood until the answer. */
		GONE_BEFORE,

		/** It is there: the servers do not let this client delete or replace it. */
		REFUSED,

		/** An answer was lost, so it is not known when the node was deleted. */
		UNKNOWN

	}

	/**
	 * A request that is owed; {@code insists}: repeated after a refusal that may pass
	 * too.
	 */
	private record Deletion(String path, boolean insists, BiConsumer<Requests, Consumer<Code>> request,
			CompletableFuture<Result> done) {
	}

}
