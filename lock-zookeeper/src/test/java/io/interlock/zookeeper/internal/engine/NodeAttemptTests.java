package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willCallRealMethod;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link NodeAttempt} on a port in memory.
 */
class NodeAttemptTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("attempt");

	private static final String LOCK_PATH = new LockPaths(Instance.ROOT).pathOf(REQUEST.id());

	private static final String NODE_PATH = LOCK_PATH + "/_c_test-lock-0000000001";

	private static final long SESSION = 7;

	private final SessionLease lease = new SessionLease(SESSION, Duration.ofSeconds(30), 0);

	private final Engine engine = mock(Engine.class);

	private final Requests requests = mock(Requests.class);

	private final TakenLocks taken = new TakenLocks();

	private final Deletions deletions = new Deletions(this.engine, () -> {
	});

	private final List<Requests.Creation> creations = new ArrayList<>();

	private final List<String> paths = new ArrayList<>();

	private int sequence;

	/** The name of the node whose wait has ended last. */
	private String left = "";

	private final List<BiConsumer<Code, List<String>>> lists = new ArrayList<>();

	private final List<Consumer<Code>> answers = new ArrayList<>();

	@BeforeEach
	void connect() {
		given(this.engine.paths()).willReturn(new LockPaths(Instance.ROOT));
		given(this.engine.names()).willReturn(new NodeName.Prefixes(1));
		given(this.engine.settings()).willReturn(Instance.settings());
		given(this.engine.ownerRecords())
			.willReturn(new OwnerRecord("test", OwnerRecord.Details.NONE, OwnerRecord.LockData.NONE));
		given(this.engine.deletions()).willReturn(this.deletions);
		given(this.engine.requests()).willReturn(this.requests);
		given(this.engine.anyRequests()).willReturn(this.requests);
		given(this.engine.isGood(any())).willReturn(true);
		given(this.engine.status())
			.willReturn(new SessionStatus(State.CONNECTED, Instant.now(), this.lease, 0, 0, null));
		given(this.requests.sessionId()).willReturn(SESSION);
		willAnswer((call) -> {
			this.paths.add(call.getArgument(1));
			return this.creations.add(call.getArgument(4));
		}).given(this.engine).create(any(), anyString(), any(), any(), any());
		willAnswer((call) -> this.lists.add(call.getArgument(1))).given(this.requests).list(anyString(), any());
		willCallRealMethod().given(this.requests).listNewest(anyString(), any());
		willCallRealMethod().given(this.requests).list(anyString(), anyBoolean(), any());
		willAnswer((call) -> this.answers.add(call.getArgument(1))).given(this.requests).sync(anyString(), any());
		willAnswer((call) -> this.answers.add(call.getArgument(1))).given(this.requests).delete(anyString(), any());
	}

	/**
	 * The client of an application lives on, and so does its session.
	 */
	@Test
	void nodeOfACreationThatIsAnsweredAfterTheEndIsOwedUntilItIsDeleted() {
		NodeAttempt attempt = start();
		attempt.abandon();
		assertThat(this.deletions.pending()).isEqualTo(1);
		CompletableFuture<?> all = this.deletions.await(Duration.ZERO);
		assertThat(all).isNotDone();
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		then(this.requests).should().delete(eq(NODE_PATH), any());
		assertThat(all).isNotDone();
		this.answers.remove(0).accept(Code.OK);
		assertThat(all).isCompleted();
		then(this.engine).should().endUse(LOCK_PATH);
	}

	@Test
	void queueOfServersThatHaveNotAnsweredLatelyIsNoContention() {
		NodeAttempt attempt = start();
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		this.lists.remove(0)
			.accept(Code.OK, List.of(NODE_PATH.substring(LOCK_PATH.length() + 1), "_c_a-lock-0000000000"));
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		given(this.engine.now()).willReturn(TimeUnit.MILLISECONDS.toNanos(9900));
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		given(this.engine.now()).willReturn(TimeUnit.MILLISECONDS.toNanos(10100));
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.CREATING);
	}

	@Test
	void lockThatWasJustReportedAsTakenIsContentionThoughEachWaitEndsBeforeItsAnswer() {
		answerAt(0);
		answerAfterTheEnd(start(), "_c_a-lock-0000000000");
		NodeAttempt next = start();
		assertThat(next.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		waitTo(4900);
		assertThat(next.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		waitTo(5100);
		assertThat(next.phase()).isEqualTo(LockAttempt.Phase.CREATING);
		assertThat(next.outcome()).isNotDone();
	}

	@Test
	void reportsOfALockAreNoReportsOfAnotherMode() {
		answerAt(0);
		answerAfterTheEnd(start(), "_c_a-__READ__0000000000");
		NodeAttempt reader = new NodeAttempt(LockRequest.shared(REQUEST.id().name()), LockCaller.current(), this.engine,
				this.taken, true);
		reader.start();
		assertThat(reader.phase()).isEqualTo(LockAttempt.Phase.CREATING);
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.QUEUED);
	}

	/**
	 * On a slow line each wait finds the nodes of those before it, which have given up.
	 */
	@Test
	void nodesThatAreAboutToGoAreNoContention() {
		answerAt(0);
		answerAfterTheEnd(start());
		assertThat(this.answers).hasSize(1);
		answerAfterTheEnd(start(), this.left);
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.CREATING);
	}

	@Test
	void lockThatIsReportedAsFreeIsNoContention() {
		answerAt(0);
		answerAfterTheEnd(start(), "_c_a-lock-0000000000");
		answerAfterTheEnd(start());
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.CREATING);
	}

	/**
	 * Events alone have granted it, without another listing.
	 */
	@Test
	void lockThatWasGrantedIsNoContention() {
		List<Consumer<EventType>> events = new ArrayList<>();
		willAnswer((call) -> {
			events.add(call.getArgument(2));
			call.<Consumer<Code>>getArgument(1).accept(Code.OK);
			return null;
		}).given(this.requests).watch(anyString(), any(), any());
		answerAt(0);
		NodeAttempt attempt = start();
		String own = create();
		this.lists.remove(0).accept(Code.OK, List.of(own, "_c_a-lock-0000000000"));
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		events.get(1).accept(EventType.NodeDeleted);
		assertThat(attempt.outcome()).isCompleted();
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.CREATING);
	}

	/**
	 * It has heard of no change for as long as the servers answered.
	 */
	@Test
	void waitBehindOthersReportsThemAtItsEnd() {
		answerAt(0);
		NodeAttempt attempt = start();
		String own = create();
		this.lists.remove(0).accept(Code.OK, List.of(own, "_c_a-lock-0000000000"));
		answerAt(60_000);
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.CREATING);
		waitTo(64_900);
		attempt.abandon();
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		waitTo(65_100);
		assertThat(start().phase()).isEqualTo(LockAttempt.Phase.CREATING);
	}

	@Test
	void reportsAreForgotten() {
		for (int i = 0; i < 100; i++) {
			this.taken.taken("/lock-" + i, LockMode.EXCLUSIVE, this.lease, TimeUnit.SECONDS.toNanos(100 + i), false);
		}
		assertThat(this.taken.size()).isLessThan(15);
	}

	private void answerAt(long millis) {
		waitTo(millis);
		this.lease.confirmed(this.engine.now(), this.engine.now());
	}

	private void waitTo(long millis) {
		given(this.engine.now()).willReturn(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private void answerAfterTheEnd(NodeAttempt attempt, String... others) {
		attempt.abandon();
		this.left = create();
		List<String> names = new ArrayList<>(List.of(others));
		names.add(this.left);
		this.lists.remove(0).accept(Code.OK, names);
	}

	/** Answer the creation of the next node, and return its name. */
	private String create() {
		String path = this.paths.remove(0) + "%010d".formatted(++this.sequence);
		this.creations.remove(0).created(Code.OK, path, stat());
		return path.substring(LOCK_PATH.length() + 1);
	}

	/**
	 * Whether it was sent is not known, so its node is looked for.
	 */
	@Test
	void creationWhoseCallEndsInAnErrorLeavesNothing() {
		Error error = new InternalError("injected");
		willThrow(error).given(this.engine).create(any(), anyString(), any(), any(), any());
		assertFailed(start(), error);
		this.answers.remove(0).accept(Code.OK);
		this.lists.remove(0).accept(Code.OK, List.of("_c_other-lock-0000000001", ownName()));
		then(this.requests).should().delete(eq(LOCK_PATH + "/" + ownName()), any());
		this.answers.remove(0).accept(Code.OK);
		assertOverOnce();
	}

	@Test
	void creationThatIsAnsweredThoughItsCallFailedEndsItsUseOnce() {
		willAnswer((call) -> {
			this.creations.add(call.getArgument(4));
			throw new NoClassDefFoundError("injected");
		}).given(this.engine).create(any(), anyString(), any(), any(), any());
		start();
		this.creations.remove(0).created(Code.OK, LOCK_PATH + "/" + ownName(), stat());
		this.answers.remove(0).accept(Code.OK);
		this.lists.remove(0).accept(Code.OK, List.of(ownName()));
		this.answers.remove(0).accept(Code.OK);
		assertOverOnce();
	}

	/**
	 * The ACL provider of an application, say.
	 */
	@Test
	void creationThatIsNotSentOwesNothing() {
		RuntimeException failure = new IllegalStateException("injected");
		willThrow(failure).given(this.engine).create(any(), anyString(), any(), any(), any());
		assertFailed(start(), failure);
		then(this.requests).should(never()).sync(anyString(), any());
		assertOverOnce();
	}

	@Test
	void listingWhoseCallEndsInAnErrorLeavesNothing() {
		Error error = new InternalError("injected");
		willThrow(error).given(this.requests).list(anyString(), any());
		assertFailed(start(), error);
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		this.answers.remove(0).accept(Code.OK);
		assertOverOnce();
	}

	@Test
	void watchThatCannotBeRemovedKeepsNoNodeFromBeingDeleted() {
		NodeAttempt attempt = start();
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		this.lists.remove(0)
			.accept(Code.OK, List.of(NODE_PATH.substring(LOCK_PATH.length() + 1), "_c_a-lock-0000000000"));
		assertThat(attempt.is(AttemptSteps.State.QUEUED)).isTrue();
		willThrow(new InternalError("injected")).given(this.requests).removeWatches(anyString());
		attempt.abandon();
		then(this.requests).should().delete(eq(NODE_PATH), any());
		this.answers.remove(0).accept(Code.OK);
		assertOverOnce();
	}

	@Test
	void nodesOfTheOwnInstanceAreNoOthers() {
		answerAt(0);
		NodeAttempt behindOwn = start();
		this.lists.remove(0).accept(Code.OK, List.of(create(), "_c_" + new UUID(1, 100) + "-lock-0000000000"));
		assertThat(behindOwn.phase()).isEqualTo(LockAttempt.Phase.QUEUED);
		assertThat(behindOwn.isToldOfOthers()).isFalse();
		assertThat(start().isToldOfOthers()).isFalse();
	}

	/** Also of an attempt whose own listing is not answered yet. */
	@Test
	void nodesOfOtherInstancesAreToldUntilAListingShowsOwnOnesOnly() {
		answerAt(0);
		NodeAttempt behindOther = start();
		this.lists.remove(0).accept(Code.OK, List.of(create(), "_c_a-lock-0000000000"));
		assertThat(behindOther.isToldOfOthers()).isTrue();
		NodeAttempt next = start();
		assertThat(next.isToldOfOthers()).isTrue();
		this.lists.remove(0).accept(Code.OK, List.of(create(), "_c_" + new UUID(1, 100) + "-lock-0000000000"));
		assertThat(next.isToldOfOthers()).isFalse();
	}

	@Test
	void tryThatReadsFirstIsToldOfNodesOfOtherInstancesOnly() {
		for (boolean own : List.of(true, false)) {
			NodeAttempt attempt = new NodeAttempt(REQUEST.withWaitTime(Duration.ZERO), LockCaller.current(),
					this.engine, this.taken, false);
			attempt.start();
			this.lists.remove(0).accept(Code.OK, List.of(own ? ownName() : "_c_a-lock-0000000002"));
			assertThat(attempt.outcome().join()).isEmpty();
			assertThat(attempt.isToldOfOthers()).isEqualTo(!own);
		}
	}

	/**
	 * Servers before 3.5.3 close the connection as well, so they are asked once.
	 */
	@Test
	void parentIsAPlainNodeWhereServersKnowNoContainers() {
		NodeAttempt attempt = start();
		for (CreateMode mode : List.of(CreateMode.CONTAINER, CreateMode.PERSISTENT)) {
			this.creations.remove(0).created(Code.NONODE, null, null);
			then(this.engine).should().create(any(), eq(LOCK_PATH), any(), eq(mode), any());
			this.creations.remove(0).created((mode == CreateMode.CONTAINER) ? Code.UNIMPLEMENTED : Code.OK, null, null);
		}
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		assertThat(attempt.phase()).isNotEqualTo(LockAttempt.Phase.CONNECTING);
		assertThat(attempt.outcome()).isNotCompletedExceptionally();
	}

	@Test
	void releaseIsAnsweredThoughTheEndOfItsUseFails() {
		LockGrant grant = granted();
		willThrow(new InternalError("injected")).given(this.engine).endUse(anyString());
		CompletableFuture<LockState> released = grant.release();
		this.answers.remove(0).accept(Code.OK);
		assertThat(released).isCompletedWithValue(LockState.RELEASED);
	}

	private LockGrant granted() {
		NodeAttempt attempt = start();
		this.creations.remove(0).created(Code.OK, NODE_PATH, stat());
		this.lists.remove(0).accept(Code.OK, List.of(NODE_PATH.substring(LOCK_PATH.length() + 1)));
		return attempt.outcome().join().orElseThrow();
	}

	private static void assertFailed(NodeAttempt attempt, Throwable failure) {
		assertThat(attempt.outcome().handle((grant, thrown) -> thrown).join())
			.isInstanceOf(LockServiceUnavailableException.class)
			.hasCause(failure);
	}

	private void assertOverOnce() {
		assertThat(this.deletions.pending()).isZero();
		then(this.engine).should().endUse(LOCK_PATH);
	}

	private static String ownName() {
		return new NodeName.Prefixes(1).next() + "lock-0000000002";
	}

	private NodeAttempt start() {
		NodeAttempt attempt = new NodeAttempt(REQUEST, LockCaller.current(), this.engine, this.taken, true);
		attempt.start();
		return attempt;
	}

	private static Stat stat() {
		Stat stat = new Stat();
		stat.setEphemeralOwner(SESSION);
		return stat;
	}

}
