package io.interlock.testsupport.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * What passes a proxy: requests in the order in which they were read, and what is to
 * happen to replies. Safe for use by many threads.
 */
final class Traffic {

	private final List<Operation> requests = new ArrayList<>();

	private final Map<Operation, Runnable> replyActions = new ConcurrentHashMap<>();

	private final Set<Operation> lostReplies = ConcurrentHashMap.newKeySet();

	void requested(Operation operation) {
		synchronized (this.requests) {
			this.requests.add(operation);
		}
	}

	List<Operation> requests(Predicate<Operation> which) {
		synchronized (this.requests) {
			return this.requests.stream().filter(which).toList();
		}
	}

	long count(Predicate<Operation> which) {
		synchronized (this.requests) {
			return this.requests.stream().filter(which).count();
		}
	}

	void forget() {
		synchronized (this.requests) {
			this.requests.clear();
		}
	}

	void onNextReply(Operation operation, Runnable action) {
		this.replyActions.put(operation, action);
	}

	void loseNextReply(Operation operation) {
		this.lostReplies.add(operation);
	}

	void heal() {
		this.replyActions.clear();
		this.lostReplies.clear();
	}

	/**
	 * Note a reply that is about to be passed on.
	 * @param operation what it answers
	 * @return whether it may be passed on
	 */
	boolean replied(Operation operation) {
		Runnable action = this.replyActions.remove(operation);
		if (action != null) {
			action.run();
		}
		return !this.lostReplies.remove(operation);
	}

}
