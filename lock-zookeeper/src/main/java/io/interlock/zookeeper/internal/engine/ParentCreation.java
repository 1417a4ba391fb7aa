package io.interlock.zookeeper.internal.engine;

import java.util.function.Consumer;

import io.interlock.zookeeper.internal.node.LockParent;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Makes the parent of a lock's nodes for one attempt, which must not call it by two
 * threads at once.
 */
final class ParentCreation {

	/** Enough for a parent that another client deletes again and again. */
	private static final int MAX = 200;

	private final Engine engine;

	private final LockParent parent;

	private volatile boolean rootMissing;

	private int made;

	ParentCreation(Attempt attempt) {
		this.engine = attempt.engine();
		this.parent = attempt.parent();
	}

	/**
	 * Make the parent. Its creation is not waited for: what is sent next comes after it.
	 * @param next what to do next
	 * @param onFailure told of a failure, perhaps later
	 */
	void begin(Requests requests, Runnable next, Consumer<Throwable> onFailure) {
		if (this.rootMissing) {
			this.engine.execute(() -> makeRoot(next, onFailure));
			return;
		}
		if (++this.made > MAX) {
			throw new IllegalStateException("The parent %s was deleted each of the %d times that it was made"
				.formatted(this.parent.path(), MAX));
		}
		this.engine.create(requests, this.parent.path(), this.parent.data(), this.parent.mode(), (code, name, stat) -> {
			this.rootMissing = code == Code.NONODE;
			if (code != Code.OK && code != Code.NODEEXISTS && !ProviderFailures.isTransient(code)) {
				onFailure.accept(KeeperException.create(code, this.parent.path()));
			}
		});
		next.run();
	}

	/**
	 * Make what is above with Curator, which knows the ACLs and waits. It is missing once
	 * in the life of a root path.
	 */
	private void makeRoot(Runnable next, Consumer<Throwable> onFailure) {
		try {
			this.engine.make(this.parent);
			this.rootMissing = false;
			next.run();
		}
		catch (Throwable ex) {
			onFailure.accept(ex);
		}
	}

}
