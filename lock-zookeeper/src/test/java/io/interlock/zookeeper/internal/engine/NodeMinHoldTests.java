package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link NodeMinHold} and for the grant that it keeps.
 */
class NodeMinHoldTests {

	private static final String HELD = "/lock/uuid-keep-lock-0000000000";

	private static final Duration REST = Duration.ofMinutes(10);

	private final Engine engine = mock(Engine.class);

	private final Requests requests = mock(Requests.class);

	private final Deletions deletions = new Deletions(this.engine, () -> {
	});

	private final AtomicLong now = new AtomicLong();

	private final SessionLease lease = new SessionLease(1, Duration.ofSeconds(30), 0);

	private final List<Consumer<Code>> replacements = new ArrayList<>();

	private final List<String> deleted = new ArrayList<>();

	private final NodeGrant grant = new NodeGrant(LockRequest.exclusive("lock"), false,
			new LockNode(HELD, 7, 1000, 1, 0, 0), this.lease, this.engine, null);

	@BeforeEach
	void connect() {
		given(this.engine.now()).willAnswer((call) -> this.now.get());
		given(this.engine.ownerRecords())
			.willReturn(new OwnerRecord("instance", OwnerRecord.Details.NONE, OwnerRecord.LockData.FULL));
		given(this.engine.deletions()).willReturn(this.deletions);
		given(this.engine.anyRequests()).willReturn(this.requests);
		given(this.engine.isGood(this.lease)).willReturn(true);
		status(State.CONNECTED);
		willAnswer((call) -> this.replacements.add(call.getArgument(4))).given(this.engine)
			.replace(any(), anyString(), anyString(), any(), any());
		willAnswer((call) -> {
			this.deleted.add(call.getArgument(0));
			call.<Consumer<Code>>getArgument(1).accept(Code.OK);
			return null;
		}).given(this.requests).delete(anyString(), any());
	}

	private void status(State state) {
		given(this.engine.status()).willReturn(new SessionStatus(state, Instant.now(), this.lease, 0, 0, null));
	}

	@Test
	void replacementThatTheServersRefuseIsNotTriedAgain() {
		CompletableFuture<Boolean> kept = this.grant.keep(REST);
		answer(Code.QUOTAEXCEEDED);
		assertThat(kept).isCompletedWithValue(false);
		this.deletions.resume();
		assertThat(this.replacements).isEmpty();
		verify(this.engine).register(this.grant);
		this.grant.release();
		assertThat(this.deleted).containsExactly(HELD);
	}

	@Test
	void replacementThatCannotBeSentIsARefusal() {
		willThrow(new IllegalStateException("no ACL")).given(this.engine)
			.replace(any(), anyString(), anyString(), any(), any());
		assertThat(this.grant.keep(REST)).isCompletedWithValue(false);
		assertThat(this.grant.state() == LockState.VALID).isTrue();
		verify(this.engine).register(this.grant);
	}

	@Test
	void refusalAfterTheReleaseRegistersNothing() {
		CompletableFuture<Boolean> kept = this.grant.keep(REST);
		this.grant.release();
		answer(Code.QUOTAEXCEEDED);
		assertThat(kept).isCompletedWithValue(false);
		verify(this.engine, never()).register(this.grant);
		assertThat(this.deleted).contains(HELD);
	}

	@Test
	void releaseWaitsForNoReplacement() {
		this.grant.keep(REST);
		this.grant.release();
		assertThat(this.deleted).hasSize(3).startsWith(HELD);
		assertThat(this.deleted.subList(1, 3)).allMatch((path) -> path.startsWith("/lock/kept-exclusive-7-"));
	}

	@Test
	void releaseOfAKeptLockDeletesTheNodeThatKeepsIt() {
		this.grant.keep(REST);
		answer(Code.OK);
		this.grant.release();
		assertThat(this.deleted).singleElement().asString().startsWith("/lock/kept-exclusive-7-");
	}

	@Test
	void nodeIsWatchedAgainInTheNextSession() {
		this.grant.keep(REST);
		answer(Code.OK);
		Consumer<EventType> onEvent = watch(1);
		status(State.SUSPENDED);
		onEvent.accept(EventType.None);
		status(State.CONNECTED);
		this.deletions.resume();
		assertThat(watch(2)).as("the same, so that one session has one watch").isSameAs(onEvent);
		onEvent.accept(EventType.NodeDeleted);
		assertThat(this.grant.isLost()).isTrue();
	}

	@Test
	void nodeIsWatchedAgainAfterAChange() {
		this.grant.keep(REST);
		answer(Code.OK);
		watch(1).accept(EventType.NodeDataChanged);
		watch(2);
		this.grant.release();
		watch(2).accept(EventType.DataWatchRemoved);
		watch(2);
	}

	@Test
	void nodeThatIsMissingIsALoss() {
		this.grant.keep(REST);
		answer(Code.OK);
		ArgumentCaptor<Consumer<Code>> answer = ArgumentCaptor.captor();
		verify(this.requests).watch(anyString(), answer.capture(), any());
		answer.getValue().accept(Code.NONODE);
		assertThat(this.grant.isLost()).isTrue();
		watch(1).accept(EventType.DataWatchRemoved);
		watch(1);
	}

	@Test
	void nodeThatCannotBeWatchedIsNoLoss() {
		this.grant.keep(REST);
		answer(Code.OK);
		ArgumentCaptor<Consumer<Code>> answer = ArgumentCaptor.captor();
		verify(this.requests).watch(anyString(), answer.capture(), any());
		answer.getValue().accept(Code.NOAUTH);
		this.deletions.resume();
		watch(1);
		assertThat(this.grant.isLost()).isFalse();
	}

	@Test
	void nodeThatACallerDeletesAtTheEndByTheServersClockIsNoLoss() {
		this.grant.keep(REST);
		answer(Code.OK);
		this.now.set(REST.minusMillis(1500).toNanos());
		watch(1).accept(EventType.NodeDeleted);
		assertThat(this.grant.isLost()).isFalse();
	}

	@Test
	void keptLockCannotBeVerified() {
		this.grant.keep(REST);
		answer(Code.OK);
		assertThatIllegalStateException().isThrownBy(this.grant::verify).withMessage("Lock lock was released already");
	}

	private void answer(Code code) {
		this.replacements.remove(0).accept(code);
	}

	/**
	 * Return what the last of a number of watches tells.
	 */
	private Consumer<EventType> watch(int number) {
		ArgumentCaptor<Consumer<EventType>> onEvent = ArgumentCaptor.captor();
		verify(this.requests, times(number)).watch(anyString(), any(), onEvent.capture());
		return onEvent.getValue();
	}

}
