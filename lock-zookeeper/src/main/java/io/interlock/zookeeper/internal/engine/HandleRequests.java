package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.CreateOptions;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Requests on one handle of ZooKeeper's client, which means in one session. Invariant: a
 * list shows what its caller has created and deleted before. A check or a replacement is
 * about a node whose creation was answered, and waits for nothing.
 */
final class HandleRequests implements Requests {

	private static final Log logger = LogFactory.getLog(HandleRequests.class);

	/** What an answer with data has besides. */
	private static final int ANSWER_BYTES = 88;

	/** Most creations in one transaction are as large as a path and an owner record. */
	private static final int MAX_BYTES = 1024;

	private final ZooKeeper zooKeeper;

	private final ClientHandle handle;

	private final WriteQueue writes;

	HandleRequests(ZooKeeper zooKeeper, ClientHandle handle) {
		this(zooKeeper, handle, WriteWindow.measured(System::nanoTime));
	}

	HandleRequests(ZooKeeper zooKeeper, ClientHandle handle, WriteWindow window) {
		this.zooKeeper = zooKeeper;
		this.handle = handle;
		this.writes = new WriteQueue((ops, answer) -> zooKeeper.multi(ops, answer, null), window);
	}

	boolean isOf(ZooKeeper other) {
		return this.zooKeeper == other;
	}

	@Override
	public long sessionId() {
		return this.zooKeeper.getSessionId();
	}

	@Override
	public void create(String path, byte[] data, List<ACL> acl, CreateMode mode, Creation answer) {
		long sentAt = System.nanoTime();
		String absolute = this.handle.absolute(path);
		Consumer<Creation> alone = (told) -> this.zooKeeper.create(absolute, data, acl, mode,
				(code, asked, context, name, stat) -> told.created(ClientHandle.code(code), name, stat), null);
		Creation read = (code, name, stat) -> {
			answer.created(code, name, stat);
			if (stat != null) {
				this.handle.clockRead(stat, sentAt);
			}
		};
		if (mode == CreateMode.EPHEMERAL_SEQUENTIAL) {
			// With options, and so with the stat in its answer.
			this.writes.create(absolute,
					(absolute.length() + data.length > MAX_BYTES) ? null
							: () -> Op.create(absolute, data, CreateOptions.newBuilder(acl, mode).build()),
					alone, read);
		}
		else {
			alone.accept(read);
		}
	}

	@Override
	public void list(String path, BiConsumer<Code, List<String>> answer) {
		list(path, answer, null);
	}

	/**
	 * List children. A list that is longer than the client takes costs it the connection;
	 * the next request for such a list is answered with {@link Code#MARSHALLINGERROR}.
	 */
	@Override
	public void list(String path, BiConsumer<Code, List<String>> answer, @Nullable Consumer<EventType> onEvent) {
		if (!this.handle.lostLists().containsKey(path)) {
			sendList(path, answer, onEvent);
			return;
		}
		stat(path, (code, stat) -> {
			if (stat != null && stat.getNumChildren() > maxPacket() / NodeName.NAME_BYTES) {
				this.handle.lostLists().put(path, stat.getNumChildren());
				answer.accept(Code.MARSHALLINGERROR, List.of());
			}
			else if (stat != null || code == Code.NONODE) {
				this.handle.lostLists().remove(path);
				sendList(path, answer, onEvent);
			}
			else {
				answer.accept(code, List.of());
			}
		});
	}

	@Override
	public int countOfLongList(String path) {
		return this.handle.lostLists().getOrDefault(path, 0);
	}

	@Override
	public int maxChildren(int bytesOfName) {
		return (maxPacket() - ANSWER_BYTES) / bytesOfName;
	}

	private int maxPacket() {
		return this.zooKeeper.getClientConfig()
			.getInt(ZKClientConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
	}

	private void sendList(String path, BiConsumer<Code, List<String>> answer, @Nullable Consumer<EventType> onEvent) {
		this.writes.read(() -> {
			int refusals = this.writes.refusals();
			this.zooKeeper.getChildren(this.handle.absolute(path),
					(onEvent != null) ? (event) -> onEvent.accept(event.getType()) : null,
					(number, asked, context, names, stat) -> {
						Code code = ClientHandle.code(number);
						if (code == Code.CONNECTIONLOSS) {
							this.handle.listLost(path);
						}
						if (code == Code.OK && onEvent == null && refusals != this.writes.refusals()) {
							listAgain(path, answer);
						}
						else {
							answer.accept(code, (names != null) ? names : List.of());
						}
					}, null);
		}, (code) -> answer.accept(code, List.of()));
	}

	/** Ask once more for a list that was too early. No caller learns of a failure. */
	private void listAgain(String path, BiConsumer<Code, List<String>> answer) {
		try {
			sendList(path, answer, null);
		}
		catch (Throwable ex) {
			answer.accept(Code.OPERATIONTIMEOUT, List.of());
		}
	}

	@Override
	public void stat(String path, BiConsumer<Code, @Nullable Stat> answer) {
		this.writes.read(
				() -> this.zooKeeper.exists(this.handle.absolute(path), false,
						(code, asked, context, stat) -> answer.accept(ClientHandle.code(code), stat), null),
				(code) -> answer.accept(code, null));
	}

	/**
	 * Watch without reading: another client may have written more than this one takes,
	 * which would cost it the connection. The watch on a missing node is removed.
	 */
	@Override
	public void watch(String path, Consumer<Code> answer, Consumer<EventType> onEvent) {
		this.writes.read(() -> sendWatch(path, answer, onEvent), answer);
	}

	private void sendWatch(String path, Consumer<Code> answer, Consumer<EventType> onEvent) {
		this.zooKeeper.exists(this.handle.absolute(path), new EventWatcher(onEvent), (code, asked, context, stat) -> {
			answer.accept(ClientHandle.code(code));
			if (code == Code.NONODE.intValue()) {
				removeWatches(path);
			}
			else if (stat != null && stat.getDataLength() > maxPacket() - ANSWER_BYTES && this.handle.isNews(path)) {
				logger.warn(("Lock node %s has %d bytes of data, more than clients can read. Interlock does not read "
						+ "it, but the recipes of Curator lose their connection. Find out which client wrote it")
					.formatted(asked, stat.getDataLength()));
			}
		}, null);
	}

	@Override
	public void removeWatches(String path) {
		this.writes.read(() -> this.zooKeeper.removeAllWatches(this.handle.absolute(path), WatcherType.Data, true,
				(code, asked, context) -> {
				}, null), (code) -> {
				});
	}

	@Override
	public void check(String path, Consumer<Code> answer) {
		this.zooKeeper.multi(List.of(Op.check(this.handle.absolute(path), -1)),
				(code, asked, context, results) -> answer.accept(Verification.codeOf(code, results)), null);
	}

	@Override
	public void delete(String path, Consumer<Code> answer) {
		String absolute = this.handle.absolute(path);
		this.writes.delete(() -> Op.delete(absolute, -1), (told) -> this.zooKeeper.delete(absolute, -1,
				(code, asked, context) -> told.created(ClientHandle.code(code), null, null), null), answer);
	}

	@Override
	public void replace(String path, String by, byte[] data, List<ACL> acl, Consumer<Code> answer) {
		this.zooKeeper.multi(
				List.of(Op.create(this.handle.absolute(by), data, acl, CreateMode.PERSISTENT),
						Op.delete(this.handle.absolute(path), -1)),
				(code, asked, context, results) -> answer.accept(Verification.codeOf(code, results)), null);
	}

	@Override
	public void sync(String path, Consumer<Code> answer) {
		this.zooKeeper.sync(this.handle.absolute(path),
				(code, asked, context) -> answer.accept(ClientHandle.code(code)), null);
	}

	/**
	 * Passes on what events are about. A watch that is set again with the same consumer
	 * is the same one for the client, which tells it once.
	 */
	private record EventWatcher(Consumer<EventType> onEvent) implements Watcher {

		@Override
		public void process(WatchedEvent event) {
			this.onEvent.accept(event.getType());
		}

		/** Written out, because a young JVM interprets that of a record. */
		@Override
		public int hashCode() {
			return this.onEvent.hashCode();
		}

	}

}
