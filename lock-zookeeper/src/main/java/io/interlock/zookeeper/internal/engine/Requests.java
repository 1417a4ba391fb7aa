package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Requests in one session. Each is sent once, and nothing waits: an answer comes once, on
 * the event thread of the session, or at once if the session is over. Answers come in the
 * order of the requests. Paths are those of Curator, without its namespace.
 */
interface Requests {

	long sessionId();

	void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Creation answer);

	void list(String path, BiConsumer<Code, List<String>> answer);

	/** List children, and watch for changes of the list. */
	void list(String path, BiConsumer<Code, List<String>> answer, @Nullable Consumer<EventType> onEvent);

	/**
	 * Return how many children a path had when its list was refused as too long, or zero.
	 */
	int countOfLongList(String path);

	/**
	 * Return how many children this client can list, with names of so many bytes at most:
	 * a longer answer would cost it the connection.
	 */
	int maxChildren(int bytesOfName);

	void stat(String path, BiConsumer<Code, @Nullable Stat> answer);

	/**
	 * Watch a node that is there, without reading it. A node that is gone gets no watch,
	 * which would be left behind, and may get a last event. Watching again with the same
	 * consumer of events changes nothing.
	 */
	void watch(String path, Consumer<Code> answer, Consumer<EventType> onEvent);

	/**
	 * Remove all watches of this client on a node. Its other watchers are notified and
	 * watch again.
	 */
	void removeWatches(String path);

	/** Ask a quorum whether a node exists. */
	void check(String path, Consumer<Code> answer);

	void delete(String path, Consumer<Code> answer);

	/**
	 * Replace a node by another one in one transaction.
	 * @param answer told {@link Code#NODEEXISTS} if the other one is there already, or
	 * else {@link Code#NONODE} if the node is gone
	 */
	void replace(String path, String by, byte[] data, List<ACL> acl, Consumer<Code> answer);

	/** Let the server catch up with its leader before it answers what is sent next. */
	void sync(String path, Consumer<Code> answer);

	/**
	 * List children with all that the leader knew of when this was sent. A list counts
	 * only if the {@code sync} before it was answered.
	 */
	default void listNewest(String path, BiConsumer<Code, List<String>> answer) {
		AtomicReference<Code> synced = new AtomicReference<>(Code.OPERATIONTIMEOUT);
		sync(path, synced::set);
		list(path, (code, names) -> answer.accept((synced.get() == Code.OK) ? code : synced.get(), names));
	}

	default void list(String path, boolean newest, BiConsumer<Code, List<String>> answer) {
		if (newest) {
			listNewest(path, answer);
		}
		else {
			list(path, answer);
		}
	}

	/** Is told of a creation, on the event thread of a handle. */
	@FunctionalInterface
	interface Creation {

		void created(Code code, @Nullable String name, @Nullable Stat stat);

	}

}
