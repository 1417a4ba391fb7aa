package io.interlock.proxy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * What passed the proxy: requests in the order in which they were read, and the threads
 * of control that wait for replies to fail. Safe for use by many threads.
 */
final class Traffic {

	private final List<Operation> requests = new CopyOnWriteArrayList<>();

	private final Map<Operation, Runnable> replyActions = new ConcurrentHashMap<>();

	private final Map<Operation, Boolean> lostReplies = new ConcurrentHashMap<>();

	void requested(Operation operation) {
		this.requests.add(operation);
	}

	List<Operation> requests(Predicate<Operation> which) {
		return this.requests.stream().filter(which).toList();
	}

	void forget() {
		this.requests.clear();
	}

	void onNextReply(Operation operation, Runnable action) {
		this.replyActions.put(operation, action);
	}

	void loseNextReply(Operation operation) {
		this.lostReplies.put(operation, true);
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
		return this.lostReplies.remove(operation) == null;
	}

}
