package io.interlock.test.recipe;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockOperations;

import org.springframework.stereotype.Component;

/**
 * Work of which each instance does the parts that no other instance is doing.
 */
@Component
class PartitionedWork {

	private static final int PARTS = 4;

	private final LockOperations locks;

	private final Articles articles;

	PartitionedWork(LockOperations locks, Articles articles) {
		this.locks = locks;
		this.articles = articles;
	}

	void run() {
		for (int part = 0; part < PARTS; part++) {
			int current = part;
			this.locks.tryExecute(LockRequest.exclusive("part").withKey(part), (lock) -> store(current, lock));
		}
	}

	private int store(int part, LockHandle lock) {
		int stored = 0;
		for (Article article : this.articles.changed(part, PARTS)) {
			if (!lock.isValid()) {
				break;
			}
			this.articles.store(article);
			stored++;
		}
		return stored;
	}

}
