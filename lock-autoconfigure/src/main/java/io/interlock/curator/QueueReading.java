package io.interlock.curator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.NodeOwner;
import io.interlock.admin.QueuedLock;
import io.interlock.admin.QueuedNode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What was read of one lock, and what it means.
 *
 * @param node name of the lock's node
 * @param readable whether its contenders were read
 * @param size how many contenders there are, as far as that is known
 * @param contenders the contenders in order; none if they could not be read
 * @param others children that are no contenders
 * @param contents what was read of the first contenders; empty for those that went
 */
record QueueReading(String node, boolean readable, int size, List<Contender> contenders, List<String> others,
		List<Optional<NodeContent>> contents) {

	static QueueReading free(String node) {
		return new QueueReading(node, true, 0, List.of(), List.of(), List.of());
	}

	static QueueReading unreadable(String node, int size) {
		return new QueueReading(node, false, size, List.of(), List.of(), List.of());
	}

	/**
	 * Describe the lock.
	 * @param root path below which it is
	 * @param now the time by the clock of this machine
	 * @return the lock with its holders and its queue
	 */
	QueuedLock describe(String root, Instant now) {
		List<QueuedNode> shown = new ArrayList<>();
		for (int position = 0; position < this.contents.size(); position++) {
			shown.add(describe(position, now));
		}
		int holders = Math.min(holders(), shown.size());
		LockId known = id(shown);
		LockId id = (known != null) ? known
				: LockNames.isShortened(this.node) ? LockNames.startOf(this.node) : new LockId(this.node, null);
		return new QueuedLock(id.name(), id.key(), known != null, root + "/" + this.node, this.readable,
				this.contenders.isEmpty() ? null : this.contenders.get(0).mode(), this.size, shown.subList(0, holders),
				shown.subList(holders, shown.size()), this.size - shown.size(), this.others);
	}

	private @Nullable LockId id(List<QueuedNode> shown) {
		if (!LockNames.isShortened(this.node)) {
			return LockNames.idOf(this.node);
		}
		return shown.stream()
			.map(QueuedNode::owner)
			.filter(Objects::nonNull)
			.map(Objects::requireNonNull)
			.filter(this::names)
			.map((owner) -> new LockId(Objects.requireNonNull(owner.name()), owner.key()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return whether an owner record has all of a name that the path has only the start
	 * of: the rest of the path is its hash.
	 */
	private boolean names(NodeOwner owner) {
		return owner.name() != null && !owner.name().isBlank() && (owner.key() == null || !owner.key().isBlank())
				&& LockPaths.nodeOf(new LockId(owner.name(), owner.key())).equals(this.node);
	}

	/**
	 * Count those before whom nobody is whom they have to wait for.
	 */
	private int holders() {
		int count = 0;
		for (Contender contender : this.contenders) {
			if (count > 0 && contender.mode() == LockMode.EXCLUSIVE) {
				break;
			}
			count++;
			if (contender.mode() == LockMode.EXCLUSIVE) {
				break;
			}
		}
		return count;
	}

	private QueuedNode describe(int position, Instant now) {
		Contender contender = this.contenders.get(position);
		NodeContent content = this.contents.get(position).orElse(null);
		QueuedNode.Kind kind = kind(contender.name());
		if (content == null) {
			return new QueuedNode(position, contender.name(), kind, contender.mode(), null, null, null, null, null);
		}
		Stat stat = content.stat();
		Instant since = Instant.ofEpochMilli(stat.getCtime());
		Duration age = Duration.between(since, now);
		return new QueuedNode(position, contender.name(), kind, contender.mode(), stat.getCzxid(),
				(stat.getEphemeralOwner() != 0) ? "0x" + Long.toHexString(stat.getEphemeralOwner()) : null, since,
				age.isNegative() ? Duration.ZERO : age, OwnerRecord.parse(content.data()));
	}

	private static QueuedNode.Kind kind(String node) {
		String marked = node.replaceFirst("-?\\d+$", "");
		if (marked.endsWith("__WRIT__")) {
			return QueuedNode.Kind.CURATOR_WRITE;
		}
		if (marked.endsWith("__READ__")) {
			return QueuedNode.Kind.CURATOR_READ;
		}
		if (marked.endsWith("__lock__")) {
			return QueuedNode.Kind.KAZOO_LOCK;
		}
		return marked.endsWith("__rlock__") ? QueuedNode.Kind.KAZOO_READ : QueuedNode.Kind.CURATOR_MUTEX;
	}

}
