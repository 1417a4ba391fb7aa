package io.interlock.curator;

import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Many reads on the connection that the locks use too, a limited number of them in flight
 * at a time, so that a look at the locks does not hold them up. No thread waits for an
 * answer. The first failure ends it: what was not sent by then never is. That one node
 * may not be read ends nothing.
 */
final class BoundedReads {

	private static final int IN_FLIGHT = 32;

	private final ZooKeeper zooKeeper;

	private final Semaphore free = new Semaphore(IN_FLIGHT);

	private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

	private volatile boolean stopped;

	BoundedReads(ZooKeeper zooKeeper) {
		this.zooKeeper = zooKeeper;
	}

	/**
	 * Send nothing any more.
	 */
	void stop() {
		this.stopped = true;
		this.waiting.clear();
	}

	/**
	 * Return how many children a node may have for their list to be asked for: a longer
	 * answer than the client takes would close the connection that the locks hang on.
	 * @param bytesOfName more than the name of any of them has
	 * @return the number of children
	 */
	int maxChildren(int bytesOfName) {
		return maxPacket() / bytesOfName;
	}

	int maxPacket() {
		return this.zooKeeper.getClientConfig()
			.getInt(ZKClientConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
	}

	CompletableFuture<Optional<Stat>> stat(String path) {
		return read(path, (zooKeeper, answer) -> zooKeeper.exists(path, false,
				(code, at, context, stat) -> answer.accept(Code.get(code), stat), null));
	}

	CompletableFuture<Optional<List<String>>> children(String path) {
		return read(path, (zooKeeper, answer) -> zooKeeper.getChildren(path, false,
				(int code, String at, Object context, List<String> children) -> answer.accept(Code.get(code), children),
				null));
	}

	CompletableFuture<Optional<NodeContent>> content(String path) {
		return read(path, (zooKeeper, answer) -> zooKeeper.getData(path, false, (code, at, context, data,
				stat) -> answer.accept(Code.get(code), (stat != null) ? new NodeContent(data, stat) : null), null));
	}

	/**
	 * Read, as soon as it is its turn.
	 * @return completed on the client's event thread, and empty if there is no such node
	 */
	private <T> CompletableFuture<Optional<T>> read(String path,
			BiConsumer<ZooKeeper, BiConsumer<Code, @Nullable T>> request) {
		CompletableFuture<Optional<T>> done = new CompletableFuture<>();
		this.waiting.add(() -> request.accept(this.zooKeeper, (code, result) -> {
			answer(done, path, code, result);
			this.free.release();
			sendWaiting();
		}));
		sendWaiting();
		return done;
	}

	private <T> void answer(CompletableFuture<Optional<T>> done, String path, Code code, @Nullable T result) {
		switch (code) {
			case OK -> done.complete(Optional.ofNullable(result));
			case NONODE -> done.complete(Optional.empty());
			case NOAUTH -> done.completeExceptionally(KeeperException.create(code, path));
			default -> {
				stop();
				done.completeExceptionally(KeeperException.create(code, path));
			}
		}
	}

	private void sendWaiting() {
		while (!this.stopped && !this.waiting.isEmpty() && this.free.tryAcquire()) {
			Runnable next = this.waiting.poll();
			if (next != null) {
				next.run();
			}
			else {
				this.free.release();
			}
		}
	}

}
