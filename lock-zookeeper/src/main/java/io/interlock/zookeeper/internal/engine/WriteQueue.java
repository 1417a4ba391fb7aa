package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

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
 * comes while enough are under way waits for an answer, and goes as one transaction then.
 * Safe for use by many threads. Invariants:
 * <ul>
 * <li>A read is sent behind what its caller has created and deleted before. If a part of
 * a transaction is refused, nothing of it was done: each part goes alone then, and
 * {@link #refusals()} tells the reads that were sent in between.
 * <li>Two nodes of one lock are never made by one transaction: their tokens would be the
 * same.
 * <li>While something waits, a write is under way whose answer sends it, or a thread is
 * sending. No lock is held then: a closed handle answers at once, and an answer takes the
 * lock of an attempt.
 * <li>Each write is answered. One whose call fails may have been sent.
 * </ul>
 */
final class WriteQueue {

	/**
	 * What eight threads have under way, which each release one lock and take another.
	 */
	static final int UNDER_WAY = 16;

	/** Paths and owner records are short: servers take sixteen times as much. */
	private static final int MAX_WRITES = 64;

	private static final int MAX_PARENTS = 10_000;

	private final BiConsumer<List<Op>, MultiCallback> multi;

	private final int allowed;

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Request> waiting = new ArrayDeque<>();

	/** Where a node was made: a creation elsewhere may spoil a transaction. */
	private final Set<String> parents = ConcurrentHashMap.newKeySet();

	private int underWay;

	private boolean sending;

	private final AtomicInteger refusals = new AtomicInteger();

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
	 * @param part the creation as part of a transaction; {@code null} if it is too large
	 * @param alone sends it as a request of its own
	 */
	void create(String path, @Nullable Supplier<Op> part, Consumer<Creation> alone, Creation answer) {
		String parent = path.substring(0, path.lastIndexOf('/'));
		boolean joins = this.tellsStats && this.parents.contains(parent);
		submit(new Request(alone, (code, name, stat) -> {
			learn(parent, code);
			answer.created(code, name, stat);
		}, true, joins ? part : null, parent));
	}

	private void learn(String parent, Code code) {
		if (code == Code.NONODE) {
			this.parents.remove(parent);
		}
		else if (code == Code.OK && this.parents.add(parent) && this.parents.size() > MAX_PARENTS) {
			this.parents.clear();
		}
	}

	void delete(Supplier<Op> part, Consumer<Creation> alone, Consumer<Code> answer) {
		submit(new Request(alone, (code, name, stat) -> answer.accept(code), true, part, null));
	}

	/**
	 * Send a read behind the writes that wait.
	 * @param failed told if it had to wait and could not be sent then
	 */
	void read(Runnable read, Consumer<Code> failed) {
		submit(new Request((told) -> read.run(), (code, name, stat) -> failed.accept(code), false, null, null));
	}

	/** Return how many transactions were refused, and their parts sent again. */
	int refusals() {
		return this.refusals.get();
	}

	private void submit(Request request) {
		this.lock.lock();
		try {
			if (this.sending || !this.waiting.isEmpty() || (request.writes() && this.underWay >= this.allowed)) {
				this.waiting.add(request);
				return;
			}
			begin(request);
		}
		finally {
			this.lock.unlock();
		}
		send(request);
	}

	private void begin(Request request) {
		if (request.writes()) {
			this.underWay++;
		}
	}

	private void end() {
		this.lock.lock();
		try {
			this.underWay = Math.max(0, this.underWay - 1);
			if (this.sending || this.waiting.isEmpty()) {
				return;
			}
			this.sending = true;
		}
		finally {
			this.lock.unlock();
		}
		sendWaiting();
	}

	private void sendWaiting() {
		List<Request> together = new ArrayList<>();
		List<Request> behind = new ArrayList<>();
		while (take(together, behind)) {
			sendTogether(List.copyOf(together));
			behind.forEach(this::sendSafely);
			together.clear();
			behind.clear();
		}
	}

	/** Take what goes next, or note that nothing is to be sent. */
	private boolean take(List<Request> together, List<Request> behind) {
		Set<String> made = new HashSet<>();
		this.lock.lock();
		try {
			while (!this.waiting.isEmpty() && this.underWay < this.allowed && together.size() < MAX_WRITES) {
				Request next = this.waiting.remove();
				if (next.part() != null && (next.parent() == null || made.add(next.parent()))) {
					together.add(next);
				}
				else {
					begin(next);
					behind.add(next);
				}
			}
			if (!together.isEmpty()) {
				begin(together.get(0));
			}
			this.sending = !together.isEmpty() || !behind.isEmpty();
			return this.sending;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void send(Request request) {
		try {
			request.send().accept((code, name, stat) -> answered(() -> request.answer().created(code, name, stat)));
		}
		catch (Throwable ex) {
			if (request.writes()) {
				end();
			}
			throw ex;
		}
	}

	private void sendSafely(Request request) {
		try {
			send(request);
		}
		catch (Throwable ex) {
			request.answer().created(Code.OPERATIONTIMEOUT, null, null);
		}
	}

	private void sendTogether(List<Request> parts) {
		if (parts.size() < 2) {
			parts.forEach(this::sendSafely);
			return;
		}
		try {
			this.multi.accept(parts.stream().map((part) -> part.part().get()).toList(),
					(code, path, context, results) -> answered(() -> tell(parts, AnswerCode.of(code), results)));
		}
		catch (Throwable ex) {
			end();
			tell(parts, Code.OPERATIONTIMEOUT, null);
		}
	}

	private void answered(Runnable tell) {
		try {
			end();
		}
		finally {
			tell.run();
		}
	}

	/** Tell what became of a transaction. Servers that refuse one tell why by results. */
	private void tell(List<Request> parts, Code code, @Nullable List<OpResult> results) {
		if (code != Code.OK && results != null) {
			repeat(parts);
			return;
		}
		tellEach(IntStream.range(0, parts.size()).<Runnable>mapToObj((part) -> () -> {
			OpResult result = (results != null) ? results.get(part) : null;
			if (result instanceof CreateResult made && made.getStat() == null) {
				this.tellsStats = false;
				parts.get(part).answer().created(Code.OPERATIONTIMEOUT, null, null);
			}
			else if (result instanceof CreateResult made) {
				parts.get(part).answer().created(code, made.getPath(), made.getStat());
			}
			else {
				parts.get(part).answer().created(code, null, null);
			}
		}).iterator());
	}

	private static void tellEach(Iterator<Runnable> answers) {
		if (answers.hasNext()) {
			try {
				answers.next().run();
			}
			finally {
				tellEach(answers);
			}
		}
	}

	/** Send each part alone, and only then let reads know that they were too early. */
	private void repeat(List<Request> parts) {
		parts.forEach((part) -> {
			this.lock.lock();
			try {
				begin(part);
			}
			finally {
				this.lock.unlock();
			}
			sendSafely(part);
		});
		this.refusals.incrementAndGet();
	}

	/**
	 * A creation, a deletion or a read.
	 *
	 * @param part the write as part of a transaction; {@code null} if it goes alone
	 * @param parent where a node is made
	 */
	private record Request(Consumer<Creation> send, Creation answer, boolean writes, @Nullable Supplier<Op> part,
			@Nullable String parent) {
	}

}
