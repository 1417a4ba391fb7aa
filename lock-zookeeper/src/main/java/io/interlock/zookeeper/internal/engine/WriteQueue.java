package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.zookeeper.internal.engine.Requests.Creation;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.CreateResult;
import org.jspecify.annotations.Nullable;

/**
 * Creations and deletions of one session, which travel together when there are many.
 * While enough writes are under way, further ones wait; the next answer sends those that
 * wait as one transaction. Safe for use by many threads. Invariants:
 * <ul>
 * <li>A read is sent after all creations and deletions that its caller has submitted
 * before. If one part of a transaction is refused, no part takes effect, and each is sent
 * again alone: {@link #refusals()} lets a reader notice that this happened around its
 * read.
 * <li>Two nodes of one lock are never made by one transaction, because they would have
 * the same fencing token.
 * <li>While something waits, a write is under way whose answer sends it, or a thread is
 * sending. No lock is held while sending: a closed handle answers at once, and an answer
 * takes the lock of an attempt.
 * <li>Each write is answered. A write whose call fails may have been sent all the same.
 * </ul>
 */
final class WriteQueue {

	/** Enough for eight threads that each release one lock and acquire another. */
	static final int UNDER_WAY = 16;

	/** A sixteenth of what servers accept: paths and owner records are short. */
	private static final int MAX_WRITES = 64;

	private static final int MAX_PARENTS = 10_000;

	private final BiConsumer<List<Op>, MultiCallback> multi;

	private final int allowed;

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Request> waiting = new ArrayDeque<>();

	/** Parents known to exist: a creation under a missing one fails its transaction. */
	private final Set<String> parents = ConcurrentHashMap.newKeySet();

	private int underWay;

	private boolean sending;

	private final AtomicInteger refusals = new AtomicInteger();

	/** Servers before 3.7 do not return the stats of nodes that a transaction made. */
	private volatile boolean tellsStats = true;

	/** {@code allowed}: how many writes may be under way before the next one waits. */
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
		}, joins ? part : null, parent));
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
		submit(new Request(alone, (code, name, stat) -> answer.accept(code), part, null));
	}

	/**
	 * Send a read behind the writes that wait.
	 * @param failed called if the read had to wait and could not be sent later
	 */
	void read(Runnable read, Consumer<Code> failed) {
		submit(new Request((told) -> read.run(), (code, name, stat) -> failed.accept(code), null, null));
	}

	/** Return how many refused transactions were sent again, part by part. */
	int refusals() {
		return this.refusals.get();
	}

	private void submit(Request request) {
		boolean waits = locked(() -> {
			boolean full = request.writes() && this.underWay >= this.allowed;
			if (this.sending || full || !this.waiting.isEmpty()) {
				this.waiting.add(request);
				return true;
			}
			begin(request);
			return false;
		});
		if (!waits) {
			send(request);
		}
	}

	private void begin(Request request) {
		if (request.writes()) {
			this.underWay++;
		}
	}

	private void beginAll(List<Request> parts) {
		this.lock.lock();
		try {
			parts.forEach(this::begin);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void end() {
		boolean sends = locked(() -> {
			boolean idle = !this.sending;
			this.sending = true;
			this.underWay = Math.max(0, this.underWay - 1);
			return idle;
		});
		if (sends) {
			sendWaiting();
		}
	}

	private void sendWaiting() {
		IllegalStateException failure = null;
		for (List<Runnable> next = locked(this::take); !next.isEmpty(); next = locked(this::take)) {
			try {
				runAll(next);
			}
			catch (IllegalStateException ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	/** Take what is sent next: one transaction, then what goes alone, in order. */
	private List<Runnable> take() {
		List<Request> together = new ArrayList<>();
		List<Runnable> next = new ArrayList<>();
		Set<String> made = new HashSet<>();
		while (!this.waiting.isEmpty() && this.underWay < this.allowed && together.size() < MAX_WRITES) {
			Request request = this.waiting.remove();
			if (request.part() != null && (request.parent() == null || made.add(request.parent()))) {
				together.add(request);
			}
			else {
				begin(request);
				next.add(() -> sendSafely(request));
			}
		}
		if (!together.isEmpty()) {
			begin(together.get(0));
			next.add(0, () -> sendTogether(together));
		}
		this.sending = !next.isEmpty();
		return next;
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
		if (parts.size() == 1) {
			sendSafely(parts.get(0));
			return;
		}
		try {
			this.multi.accept(parts.stream().map(Request::op).toList(),
					(code, path, context, results) -> answered(() -> answer(parts, ClientHandle.code(code), results)));
		}
		catch (Throwable ex) {
			end();
			answer(parts, Code.OPERATIONTIMEOUT, null);
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

	/** Answer the parts of a transaction. */
	private void answer(List<Request> parts, Code code, @Nullable List<OpResult> results) {
		if (isRefused(code, results)) {
			beginAll(parts);
			runAll(parts.stream().<Runnable>map((part) -> () -> sendSafely(part)).toList());
			// Only now: a read that is sent from here on is behind the parts.
			this.refusals.incrementAndGet();
			return;
		}
		List<Runnable> answers = new ArrayList<>(parts.size());
		for (int i = 0; i < parts.size(); i++) {
			int part = i;
			answers.add(() -> answer(parts.get(part).answer(), code, (results != null) ? results.get(part) : null));
		}
		runAll(answers);
	}

	private void answer(Creation answer, Code code, @Nullable OpResult result) {
		if (!(result instanceof CreateResult made)) {
			answer.created(code, null, null);
		}
		else if (made.getStat() != null) {
			answer.created(code, made.getPath(), made.getStat());
		}
		else {
			this.tellsStats = false;
			answer.created(Code.OPERATIONTIMEOUT, null, null);
		}
	}

	/** A server that refused a transaction says so by results. */
	private static boolean isRefused(Code code, @Nullable List<OpResult> results) {
		return code != Code.OK && results != null;
	}

	private static void runAll(List<Runnable> actions) {
		Throwable failure = null;
		for (Runnable action : actions) {
			try {
				action.run();
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			throw new IllegalStateException("An answer could not be handed on", failure);
		}
	}

	private <T> T locked(Supplier<T> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A creation, a deletion or a read.
	 *
	 * @param part the write as part of a transaction; {@code null} if it goes alone
	 * @param parent where a node is made
	 */
	private record Request(Consumer<Creation> send, Creation answer, @Nullable Supplier<Op> part,
			@Nullable String parent) {

		boolean writes() {
			return this.part != null || this.parent != null;
		}

		Op op() {
			return Objects.requireNonNull(this.part).get();
		}

	}

}
