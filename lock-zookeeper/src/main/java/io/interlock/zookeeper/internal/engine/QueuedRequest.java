package io.interlock.zookeeper.internal.engine;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.zookeeper.internal.engine.Requests.Creation;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A creation, a deletion or a read. Linked to the next one that waits, because adding to
 * such a list needs neither memory nor a call, which may fail half-way.
 */
final class QueuedRequest {

	final Consumer<Creation> send;

	/** The write as part of a transaction; {@code null} if it goes alone. */
	final @Nullable Supplier<Op> part;

	/** Where a node is made. */
	final @Nullable String parent;

	@Nullable QueuedRequest next;

	private final Creation answer;

	private boolean told;

	QueuedRequest(Consumer<Creation> send, Creation answer, @Nullable Supplier<Op> part, @Nullable String parent) {
		this.send = send;
		this.answer = answer;
		this.part = part;
		this.parent = parent;
	}

	boolean writes() {
		return this.part != null || this.parent != null;
	}

	Op op() {
		return Objects.requireNonNull(this.part).get();
	}

	void tell(Code code, @Nullable String name, @Nullable Stat stat) {
		if (!this.told) {
			this.answer.created(code, name, stat);
			this.told = true;
		}
	}

}
