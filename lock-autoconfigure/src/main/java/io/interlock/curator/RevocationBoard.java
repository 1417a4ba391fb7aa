package io.interlock.curator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * The node to which requests to give locks up are pinned, and which every instance that
 * takes them watches. One node beside all locks: a request that was written to the node
 * of a lock would replace what it says of its owner, as Curator's revocation does, and
 * one below the lock would contend for it (CURATOR-43).
 * <p>
 * It keeps the last {@value #KEPT} requests. A request is added by comparing versions, so
 * that none of several at the same time is lost.
 *
 * @see RevocationWatch
 */
final class RevocationBoard {

	/**
	 * No lock has such a name: see {@link LockPaths#nodeOf}.
	 */
	static final String NODE = "/.revocations";

	private static final int KEPT = 20;

	private static final int TRIES = 10;

	private final CuratorFramework client;

	private final ClientHandle handle;

	private final String path;

	RevocationBoard(CuratorFramework client, ClientHandle handle, String root) {
		this.client = client;
		this.handle = handle;
		this.path = root + NODE;
	}

	/**
	 * Pin a request, unless reads were stopped by then.
	 * @param zooKeeper whom to ask
	 * @param reads how to read
	 * @param record the request
	 * @return completed when it is known to everybody who is connected
	 */
	CompletableFuture<Code> pin(ZooKeeper zooKeeper, BoundedReads reads, RevocationRecord record) {
		return pin(zooKeeper, reads, record, TRIES);
	}

	private CompletableFuture<Code> pin(ZooKeeper zooKeeper, BoundedReads reads, RevocationRecord record, int tries) {
		return reads.content(this.handle.absolute(this.path))
			.thenCompose((content) -> write(zooKeeper, content, record))
			.thenCompose((code) -> switch (code) {
				case OK -> CompletableFuture.completedFuture(code);
				case BADVERSION, NONODE, NODEEXISTS -> (tries > 1) ? pin(zooKeeper, reads, record, tries - 1)
						: CompletableFuture.failedFuture(KeeperException.create(code, this.path));
				default -> CompletableFuture.failedFuture(KeeperException.create(code, this.path));
			});
	}

	private CompletableFuture<Code> write(ZooKeeper zooKeeper, Optional<NodeContent> content, RevocationRecord record) {
		CompletableFuture<Code> done = new CompletableFuture<>();
		if (content.isPresent()) {
			zooKeeper.setData(this.handle.absolute(this.path), with(content.get(), record),
					content.get().stat().getVersion(), (code, at, context, stat) -> done.complete(Code.get(code)),
					null);
		}
		else {
			create(RevocationRecord.write(List.of(record)), done);
		}
		return done;
	}

	/**
	 * Create the node through Curator, which knows what its ACL has to be.
	 */
	private void create(byte[] data, CompletableFuture<Code> done) {
		try {
			this.client.create()
				.inBackground((from, event) -> done.complete(Code.get(event.getResultCode())))
				.forPath(this.path, data);
		}
		catch (Exception ex) {
			done.completeExceptionally(ex);
		}
	}

	private static byte[] with(NodeContent content, RevocationRecord record) {
		List<RevocationRecord> records = new ArrayList<>(RevocationRecord.parse(content.data()));
		records.add(record);
		return RevocationRecord.write(records.subList(Math.max(0, records.size() - KEPT), records.size()));
	}

}
