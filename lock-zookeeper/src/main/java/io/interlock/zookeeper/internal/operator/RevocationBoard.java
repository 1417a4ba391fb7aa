package io.interlock.zookeeper.internal.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.session.AnswerCode;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The node that stores revocation requests, watched by every instance that takes them. It
 * is one node beside all locks: a request in the node of a lock would replace its owner
 * record, as Curator's revocation does, and one below the lock would contend for it
 * (CURATOR-43).
 * <p>
 * It keeps the last {@value #KEPT} requests. Invariant: a request is added by comparing
 * versions, so that concurrent requests do not replace each other.
 *
 * @see RevocationWatch
 */
final class RevocationBoard {

	/** No lock has such a name: see {@link LockPaths#nodeOf}. */
	static final String NODE = "/.revocations";

	static final int KEPT = 20;

	/** No longer data is Interlock's. */
	static final int MAX_BYTES = KEPT * (RevocationRecord.MAX_LENGTH + 1);

	private static final int TRIES = 10;

	private final CuratorFramework client;

	private final String path;

	RevocationBoard(CuratorFramework client, String root) {
		this.client = client;
		this.path = root + NODE;
	}

	CompletableFuture<Code> pin(OperatorCall call, RevocationRecord record) {
		return pin(call, record, TRIES);
	}

	private CompletableFuture<Code> pin(OperatorCall call, RevocationRecord record, int tries) {
		// Other operators may be writing too.
		return call.node(this.path, MAX_BYTES)
			.thenCompose((present) -> write(call, present, record))
			.thenCompose((code) -> switch (code) {
				case OK -> CompletableFuture.completedFuture(code);
				case BADVERSION, NONODE, NODEEXISTS -> (tries > 1) ? pin(call, record, tries - 1)
						: CompletableFuture.failedFuture(KeeperException.create(code, this.path));
				default -> CompletableFuture.failedFuture(KeeperException.create(code, this.path));
			});
	}

	private CompletableFuture<Code> write(OperatorCall call, Optional<NodeData> present, RevocationRecord record) {
		CompletableFuture<Code> done = new CompletableFuture<>();
		if (present.isPresent()) {
			List<RevocationRecord> records = new ArrayList<>(RevocationRecord.parse(present.get().data()));
			records.add(record);
			byte[] data = RevocationRecord.write(records.subList(Math.max(0, records.size() - KEPT), records.size()));
			call.zooKeeper()
				.setData(call.absolute(this.path), data, present.get().stat().getVersion(),
						(code, at, context, stat) -> done.complete(AnswerCode.of(code)), null);
		}
		else {
			create(RevocationRecord.write(List.of(record)), done);
		}
		return done;
	}

	/** Create the node through Curator, which knows the ACL of the locks. */
	private void create(byte[] data, CompletableFuture<Code> done) {
		try {
			this.client.create()
				.inBackground((from, event) -> done.complete(AnswerCode.of(event.getResultCode())))
				.forPath(this.path, data);
		}
		catch (Exception ex) {
			done.completeExceptionally(ex);
		}
	}

}
