package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
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
 * sending. The monitor is not held while sending: a closed handle answers at once, and an
 * answer takes the lock of an attempt. It is a monitor, because one that is entered is
 * left, even at the end of a stack.
 * <li>Each write is answered. A write whose call fails may have been sent all the same.
 * <li>An error ends one thread here, and nothing else: the next request or answer sends
 * what waits, and answers what the error left behind. Fewer writes may be counted then
 * than are under way, and never more.
 * </ul>
 */
final class WriteQueue {

	/** A sixteenth of what servers accept: paths and owner records are short. */
	private static final int MAX_WRITES = 64;

	private final BiConsumer<List<Op>, MultiCallback> multi;

	private final WriteWindow window;

	private @Nullable QueuedRequest firstWaiting;

	private @Nullable QueuedRequest lastWaiting;

	/** Used by the sender alone. */
	private @Nullable TakenRequests taken;

	private final KnownParents parents = new KnownParents();

	private int underWay;

	/** TakenRequests under the lock, and given up by the thread that has it. */
	private volatile @Nullable Thread sender;

	/**
	 * Whether an error has ended a thread here: nothing may send what waits, and too many
	 * writes may be counted. Set without a call, because the stack may be full.
	 */
	private volatile boolean stalled;

	private final AtomicInteger refusals = new AtomicInteger();

	/** Servers before 3.7 do not return the stats of nodes that a transaction made. */
	private volatile boolean tellsStats = true;

	WriteQueue(BiConsumer<List<Op>, MultiCallback> multi, WriteWindow window) {
		this.multi = multi;
		this.window = window;
	}

	/**
	 * Create a node.
	 * @param part the creation as part of a transaction; {@code null} if it is too large
	 * @param alone sends it as a request of its own
	 */
	void create(String path, @Nullable Supplier<Op> part, Consumer<Creation> alone, Creation answer) {
		String parent = path.substring(0, path.lastIndexOf('/'));
		boolean joins = this.tellsStats && this.parents.contains(parent);
		submit(new QueuedRequest(alone, (code, name, stat) -> {
			this.parents.learn(parent, code);
			answer.created(code, name, stat);
		}, joins ? part : null, parent));
	}

	void delete(Supplier<Op> part, Consumer<Creation> alone, Consumer<Code> answer) {
		submit(new QueuedRequest(alone, (code, name, stat) -> answer.accept(code), part, null));
	}

	/**
	 * Send a read behind the writes that wait.
	 * @param failed called if the read had to wait and could not be sent later
	 */
	void read(Runnable read, Consumer<Code> failed) {
		submit(new QueuedRequest((told) -> read.run(), (code, name, stat) -> failed.accept(code), null, null));
	}

	/** Return how many refused transactions were sent again, part by part. */
	int refusals() {
		return this.refusals.get();
	}

	private void submit(QueuedRequest request) {
		boolean done = false;
		try {
			if (this.stalled) {
				end();
			}
			if (isNext(request)) {
				send(request);
			}
			done = true;
		}
		finally {
			if (!done) {
				this.stalled = true;
			}
		}
	}

	private synchronized boolean isNext(QueuedRequest request) {
		boolean full = request.writes() && this.underWay >= allowed(request);
		if (this.sender != null || full || this.firstWaiting != null) {
			enqueue(request);
			return false;
		}
		begin(request);
		return true;
	}

	/** To wait is of no use to a write that goes alone. */
	private int allowed(QueuedRequest request) {
		return (request.part != null) ? this.window.allowed() : this.window.most();
	}

	private void enqueue(QueuedRequest request) {
		if (this.firstWaiting == null) {
			this.firstWaiting = request;
		}
		else {
			Objects.requireNonNull(this.lastWaiting).next = request;
		}
		this.lastWaiting = request;
	}

	private void begin(QueuedRequest request) {
		if (request.writes()) {
			this.window.sent(this.underWay + 1);
			this.underWay++;
		}
	}

	private synchronized void beginAll(List<QueuedRequest> parts) {
		for (QueuedRequest part : parts) {
			begin(part);
		}
	}

	private void end() {
		Thread self = Thread.currentThread();
		boolean sends = false;
		boolean done = false;
		try {
			synchronized (this) {
				sends = this.sender == null;
				this.window.answered();
				boolean counted = !sends || !this.stalled;
				this.underWay = (counted && this.underWay > 0) ? this.underWay - 1 : 0;
				if (sends) {
					this.sender = self;
					this.stalled = false;
				}
			}
			if (sends) {
				sendWaiting();
			}
			done = true;
		}
		finally {
			if (!done) {
				this.stalled = true;
				if (sends && this.sender == self) {
					this.sender = null;
				}
			}
		}
	}

	private void sendWaiting() {
		IllegalStateException failure = null;
		for (TakenRequests next = take(); next != null; next = take()) {
			IllegalStateException last = next.sendEach(this::send, (unit) -> answer(unit, Code.OPERATIONTIMEOUT, null));
			failure = (last != null) ? last : failure;
		}
		if (failure != null) {
			throw failure;
		}
	}

	/** Take what is sent next, what an error left behind first; or stop sending. */
	private synchronized @Nullable TakenRequests take() {
		if (this.taken == null || this.taken.isDone()) {
			this.taken = null;
			takeWaiting();
		}
		if (this.taken == null) {
			this.sender = null;
		}
		return this.taken;
	}

	/** Take one transaction, then what goes alone, in order. */
	private void takeWaiting() {
		QueuedRequest next = this.firstWaiting;
		int writes = this.underWay;
		if (next == null || writes >= allowed(next)) {
			return;
		}
		List<QueuedRequest> together = new ArrayList<>();
		List<List<QueuedRequest>> units = new ArrayList<>();
		Set<String> made = new HashSet<>();
		units.add(together);
		while (next != null && writes < allowed(next) && together.size() < MAX_WRITES) {
			if (next.part != null && (next.parent == null || made.add(next.parent))) {
				together.add(next);
			}
			else {
				writes += next.writes() ? 1 : 0;
				units.add(List.of(next));
			}
			next = next.next;
		}
		writes += together.isEmpty() ? 0 : 1;
		TakenRequests taken = new TakenRequests(units);
		if (writes > this.underWay) {
			this.window.sent(this.underWay + 1);
		}
		// No call from here on, so that an error takes all or nothing.
		this.taken = taken;
		this.firstWaiting = next;
		this.underWay = writes;
	}

	private void send(QueuedRequest request) {
		try {
			request.send.accept((code, name, stat) -> answered(() -> request.tell(code, name, stat)));
		}
		catch (Throwable ex) {
			if (request.writes()) {
				end();
			}
			throw ex;
		}
	}

	private void sendSafely(QueuedRequest request) {
		try {
			send(request);
		}
		catch (Throwable ex) {
			request.tell(Code.OPERATIONTIMEOUT, null, null);
		}
	}

	private void send(List<QueuedRequest> unit) {
		if (unit.size() <= 1) {
			sendAlone(unit);
			return;
		}
		try {
			this.multi.accept(unit.stream().map(QueuedRequest::op).toList(),
					(code, path, context, results) -> answered(() -> answer(unit, ClientHandle.code(code), results)));
		}
		catch (Throwable ex) {
			end();
			answer(unit, Code.OPERATIONTIMEOUT, null);
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
	private void answer(List<QueuedRequest> parts, Code code, @Nullable List<OpResult> results) {
		if (isRefused(code, results)) {
			beginAll(parts);
			sendAlone(parts);
			// Only now: a read that is sent from here on is behind the parts.
			this.refusals.incrementAndGet();
			return;
		}
		forEach(parts.size(), (i) -> answer(parts.get(i), code, (results != null) ? results.get(i) : null));
	}

	private void sendAlone(List<QueuedRequest> requests) {
		forEach(requests.size(), (i) -> sendSafely(requests.get(i)));
	}

	private void answer(QueuedRequest request, Code code, @Nullable OpResult result) {
		if (!(result instanceof CreateResult made)) {
			request.tell(code, null, null);
		}
		else if (made.getStat() != null) {
			request.tell(code, made.getPath(), made.getStat());
		}
		else {
			this.tellsStats = false;
			request.tell(Code.OPERATIONTIMEOUT, null, null);
		}
	}

	/** A server that refused a transaction says so by results. */
	private static boolean isRefused(Code code, @Nullable List<OpResult> results) {
		return code != Code.OK && results != null;
	}

	/** One that fails keeps no other from its turn. */
	private static void forEach(int count, IntConsumer action) {
		Throwable failure = null;
		for (int i = 0; i < count; i++) {
			try {
				action.accept(i);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		if (failure instanceof VirtualMachineError error) {
			throw error;
		}
		if (failure != null) {
			throw new IllegalStateException("An answer could not be handed on", failure);
		}
	}

}
