package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.interlock.zookeeper.SessionSnapshot.State;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.mockito.stubbing.Answer;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * A session of 30 seconds and the beats of an instance, which holds a lock or is idle, on
 * a simulated clock. The line to the server is interrupted once. Not safe for use by many
 * threads.
 */
final class OutageSimulation {

	/** How an interruption looks to the client. */
	enum Kind {

		/** The connection is reset, and made anew when the line is back. */
		RESET,

		/**
		 * What is sent arrives when the line is back, unless the client gives the
		 * connection up before: after two thirds of the session timeout.
		 */
		SILENCE

	}

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final long ID = 7;

	private static final long STEP = nanos(Duration.ofMillis(10));

	private static final long TICK = nanos(Duration.ofMillis(100));

	private static final long ROUND_TRIP = nanos(Duration.ofMillis(20));

	/** A client waits for up to a second until it connects again. */
	private static final long RECONNECT = nanos(Duration.ofMillis(700));

	private final SessionLease lease = new SessionLease(ID, TIMEOUT, 0);

	private final List<Request> requests = new ArrayList<>();

	private final List<Boolean> changes = new ArrayList<>();

	private final List<Duration> late = new ArrayList<>();

	private final List<Duration> unknown = new ArrayList<>();

	private final SessionKeeper keeper;

	private final long cutAt;

	private final long healedAt;

	private final Kind kind;

	private final boolean busy;

	private boolean connected = true;

	private boolean valid = true;

	private long heardAt;

	private long now;

	OutageSimulation(Kind kind, Duration after, Duration length) {
		this(kind, after, length, true);
	}

	OutageSimulation(Kind kind, Duration after, Duration length, boolean busy) {
		this.kind = kind;
		this.busy = busy;
		this.cutAt = nanos(after);
		this.healedAt = this.cutAt + nanos(length);
		ZooKeeper zooKeeper = mock(ZooKeeper.class);
		given(zooKeeper.getSessionId()).willReturn(ID);
		willAnswer(request((code, callback) -> ((MultiCallback) callback).processResult(code, "/", null, null)))
			.given(zooKeeper)
			.multi(any(), any(MultiCallback.class), any());
		willAnswer(request((code, callback) -> ((VoidCallback) callback).processResult(code, "/", null)))
			.given(zooKeeper)
			.sync(any(), any(VoidCallback.class), any());
		ClientHandle handle = mock(ClientHandle.class);
		given(handle.connected()).willReturn(zooKeeper);
		SessionMonitor monitor = mock(SessionMonitor.class);
		given(monitor.handle()).willReturn(handle);
		this.keeper = new SessionKeeper(monitor, mock(SessionMonitor.Observer.class), mock(ForgottenConnection.class),
				() -> this.now);
	}

	private Answer<@Nullable Void> request(BiConsumer<Integer, Object> answer) {
		return (call) -> {
			Object callback = call.getArgument(1);
			this.requests.add(new Request(this.now, (code) -> answer.accept(code.intValue(), callback)));
			return null;
		};
	}

	/**
	 * Run until everything is as it was before the interruption.
	 * @return each change of whether the hold is known to be valid
	 */
	List<Boolean> run() {
		long period = this.busy ? TICK : this.lease.idleBeatNanos();
		long end = this.healedAt + nanos(TIMEOUT);
		for (this.now = 0; this.now < end; this.now += STEP) {
			answer();
			connection();
			if (this.connected && this.now % period == 0) {
				this.keeper.beatWhenDue(this.lease, this.now, this.busy);
			}
			note();
		}
		return this.changes;
	}

	/**
	 * {@return when answers were late, counted from the interruption}
	 */
	List<Duration> late() {
		return this.late;
	}

	/**
	 * {@return when it was not known which caller holds a lock that this one waits for,
	 * while it was connected, counted from the interruption}
	 */
	List<Duration> unknown() {
		return this.unknown;
	}

	private void answer() {
		List<Request> due = this.requests.stream().filter((request) -> arrivesAt(request) <= this.now).toList();
		if (this.connected && !due.isEmpty()) {
			this.requests.removeAll(due);
			this.heardAt = this.now;
			due.forEach((request) -> request.answer().accept(Code.OK));
		}
	}

	private long arrivesAt(Request request) {
		boolean held = request.sentAt() + ROUND_TRIP > this.cutAt && request.sentAt() < this.healedAt;
		return ROUND_TRIP + (held ? this.healedAt : request.sentAt());
	}

	private void connection() {
		boolean cut = this.now >= this.cutAt && this.now < this.healedAt;
		boolean givenUp = this.now - this.heardAt >= nanos(TIMEOUT) / 3 * 2;
		if (this.connected && cut && (this.kind == Kind.RESET || givenUp)) {
			this.connected = false;
			List<Request> lost = List.copyOf(this.requests);
			this.requests.clear();
			lost.forEach((request) -> request.answer().accept(Code.CONNECTIONLOSS));
		}
		else if (!this.connected && this.now >= this.healedAt + RECONNECT) {
			this.connected = true;
			this.heardAt = this.now;
			this.lease.resumed(this.now);
		}
	}

	private void note() {
		boolean valid = this.connected && this.lease.isGood(this.now) && this.lease.isSteady();
		if (valid != this.valid) {
			this.valid = valid;
			this.changes.add(valid);
		}
		if (this.connected && this.lease.isLate(this.now)) {
			this.late.add(Duration.ofNanos(this.now - this.cutAt));
		}
		SessionStatus status = new SessionStatus(State.CONNECTED, Instant.EPOCH, this.lease, 0, 0, null);
		if (this.connected && !status.answersLately(this.now)) {
			this.unknown.add(Duration.ofNanos(this.now - this.cutAt));
		}
	}

	private static long nanos(Duration duration) {
		return duration.toNanos();
	}

	private record Request(long sentAt, Consumer<Code> answer) {

	}

}
