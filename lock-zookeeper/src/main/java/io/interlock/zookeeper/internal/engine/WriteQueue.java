package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.zookeeper.internal.engine.Requests.Creation;
import io.interlock.zookeeper.internal.session.AnswerCode;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.CreateResult;
import org.jspecify.annotations.Nullable;

/**
 * Creations and deletions of one session, which travel together when there are many: what
 * comes while enough are under way waits for the next answer, and goes as one transaction
 * then. Safe for use by many threads. Invariants:
 * <ul>
 * <li>What concerns a lock is sent in the order in which it was asked for. Only if the
 * servers refuse a transaction does each of its parts go alone, which may be later.
 * <li>Two nodes of one lock are never made by one transaction: their tokens would be the
 * same.
 * <li>A caller sends nothing of others, and under no lock of this class does anyone learn
 * of an answer: a closed handle answers at once, and callers hold locks of attempts.
 * <li>Each write is answered. One whose call fails may have been sent.
 * </ul>
 */
final class WriteQueue {

	/**
	 * What eight threads have under way, which each release one lock and take another.
	 */
	static final int UNDER_WAY = 16;

	private static final int MAX_WRITES = 64;

	/** A sixteenth of what servers take at least, unless they are told otherwise. */
	private static final int MAX_BYTES = 64 * 1024;

	private static final int MAX_PARENTS = 10_000;

	private final BiConsumer<List<Op>, MultiCallback> multi;

	private final int allowed;

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<Write> waiting = new ArrayDeque<>();

	private final Map<String, Write> newest = new HashMap<>();

	/** Where a node was made: a creation elsewhere may spoil a transaction. */
	private final Set<String> parents = ConcurrentHashMap.newKeySet();

	/** What is to be done when the lock is free. */
	private final List<Runnable> later = new ArrayList<>();

	private int underWay;

	/** Servers before 3.7 do not tell what a transaction has made. */
	private volatile boolean tellsStats = true;

	/**
	 * Create an empty queue.
	 * @param multi sends a transaction
	 * @param allowed how many requests may be under way before the next write waits
	 */
	WriteQueue(BiConsumer<List<Op>, MultiCallback> multi, int allowed) {
		this.multi = multi;
		this.allowed = allowed;
	}

	/**
	 * Create a node.
	 * @param bytes about the size of the request
	 * @param op the creation as part of a transaction
	 * @param alone sends it as a request of its own
	 */
	void create(String path, int bytes, Supplier<Op> op, Consumer<Creation> alone, Creation answer) {
		String parent = parentOf(path);
		Creation learning = (code, name, stat) -> {
			learn(parent, code);
			answer.created(code, name, stat);
		};
		write(new Write(parent, true, bytes, op, alone, learning, new ArrayList<>(1)));
	}

	void delete(String path, Supplier<Op> op, Consumer<Creation> alone, Consumer<Code> answer) {
		write(new Write(parentOf(path), false, path.length(), op, alone, (code, name, stat) -> answer.accept(code),
				new ArrayList<>(0)));
	}

	private static String parentOf(String path) {
		return path.substring(0, Math.max(path.lastIndexOf('/'), 0));
	}

	private void learn(String parent, Code code) {
		if (code == Code.NONODE) {
			this.parents.remove(parent);
		}
		else if (code == Code.OK && this.parents.add(parent) && this.parents.size() > MAX_PARENTS) {
			this.parents.clear();
		}
	}

	private void write(Write write) {
		locked(() -> {
			if (this.waiting.isEmpty() && this.underWay < this.allowed) {
				sendAlone(write);
				return;
			}
			Write before = this.newest.get(write.parent());
			if (!write.creates() || (this.tellsStats && this.parents.contains(write.parent()))) {
				this.waiting.add(write);
				this.newest.put(write.parent(), write);
			}
			else if (before != null) {
				before.behind().add(() -> locked(() -> sendSafely(write)));
			}
			else {
				sendAlone(write);
			}
		});
	}

	/**
	 * Send another request that concerns a lock, behind the writes of that lock that
	 * wait.
	 * @param path the lock or one of its nodes
	 * @param request sends it
	 * @param failed told if it had to wait and could not be sent then
	 */
	void send(String path, Runnable request, Consumer<Code> failed) {
		if (!waits(path, request, failed)) {
			request.run();
		}
	}

	private boolean waits(String path, Runnable request, Consumer<Code> failed) {
		this.lock.lock();
		try {
			Write before = this.newest.isEmpty() ? null
					: this.newest.getOrDefault(path, this.newest.get(parentOf(path)));
			return before != null && before.behind().add(() -> {
				try {
					request.run();
				}
				catch (Throwable ex) {
					failed.accept(Code.OPERATIONTIMEOUT);
				}
			});
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Send what waits, whatever is under way: an answer may be late, or lost here. */
	void resume() {
		locked(() -> sendWaiting(Integer.MAX_VALUE));
	}

	/** Do something under the lock, and afterwards what that has put off. */
	private void locked(Runnable action) {
		List<Runnable> due = List.of();
		this.lock.lock();
		try {
			action.run();
		}
		finally {
			if (this.lock.getHoldCount() == 1 && !this.later.isEmpty()) {
				due = List.copyOf(this.later);
				this.later.clear();
			}
			this.lock.unlock();
			runAll(due);
		}
	}

	private static void runAll(List<Runnable> actions) {
		for (int i = 0; i < actions.size(); i++) {
			try {
				actions.get(i).run();
			}
			catch (Throwable ex) {
				runAll(actions.subList(i + 1, actions.size()));
				throw ex;
			}
		}
	}

	private void sendWaiting(int most) {
		while (this.underWay < most && !this.waiting.isEmpty()) {
			List<Write> writes = next();
			if (writes.size() == 1) {
				sendSafely(writes.get(0));
			}
			else {
				sendTogether(writes);
			}
			writes.forEach((write) -> {
				this.newest.remove(write.parent(), write);
				this.later.addAll(write.behind());
			});
		}
	}

	private List<Write> next() {
		List<Write> writes = new ArrayList<>();
		Set<String> made = new HashSet<>();
		int bytes = 0;
		for (Write write = this.waiting.peek(); write != null; write = this.waiting.peek()) {
			bytes += write.bytes();
			if (writes.size() == MAX_WRITES || (bytes > MAX_BYTES && !writes.isEmpty())
					|| (write.creates() && !made.add(write.parent()))) {
				break;
			}
			writes.add(this.waiting.remove());
		}
		return writes;
	}

	private void sendAlone(Write write) {
		write.alone().accept((code, name, stat) -> answered(() -> write.answer().created(code, name, stat)));
		this.underWay++;
	}

	private void sendSafely(Write write) {
		try {
			sendAlone(write);
		}
		catch (Throwable ex) {
			this.later.add(() -> write.answer().created(Code.OPERATIONTIMEOUT, null, null));
		}
	}

	private void sendTogether(List<Write> writes) {
		try {
			this.multi.accept(writes.stream().map((write) -> write.op().get()).toList(),
					(code, path, context, results) -> answered(() -> tell(writes, AnswerCode.of(code), results)));
			this.underWay++;
		}
		catch (Throwable ex) {
			this.later.add(() -> tell(writes, Code.OPERATIONTIMEOUT, null));
		}
	}

	private void answered(Runnable answer) {
		if (this.lock.isHeldByCurrentThread()) {
			this.underWay--;
			this.later.add(answer);
			return;
		}
		try {
			locked(() -> {
				this.underWay--;
				sendWaiting(this.allowed);
			});
		}
		finally {
			answer.run();
		}
	}

	/**
	 * Tell what became of a transaction. One that was refused, of which the servers tell
	 * by results, has changed nothing.
	 */
	private void tell(List<Write> writes, Code code, @Nullable List<OpResult> results) {
		if (results != null && code != Code.OK) {
			locked(() -> writes.forEach(this::sendSafely));
			return;
		}
		List<Runnable> answers = new ArrayList<>();
		for (int i = 0; i < writes.size(); i++) {
			Creation answer = writes.get(i).answer();
			if (results == null || !(results.get(i) instanceof CreateResult made)) {
				answers.add(() -> answer.created(code, null, null));
			}
			else if (made.getStat() != null) {
				answers.add(() -> answer.created(code, made.getPath(), made.getStat()));
			}
			else {
				this.tellsStats = false;
				answers.add(() -> answer.created(Code.OPERATIONTIMEOUT, null, null));
			}
		}
		runAll(answers);
	}

	/**
	 * A creation or a deletion.
	 *
	 * @param behind what waits for it to be sent
	 */
	private record Write(String parent, boolean creates, int bytes, Supplier<Op> op, Consumer<Creation> alone,
			Creation answer, List<Runnable> behind) {
	}

}
