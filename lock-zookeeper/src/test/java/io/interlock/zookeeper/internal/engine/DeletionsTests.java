package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.session.ClientHandle;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.nullable;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link Deletions}.
 */
class DeletionsTests {

	private final ZooKeeper zooKeeper = mock(ZooKeeper.class);

	private final Engine engine = mock(Engine.class);

	private final AtomicInteger postponed = new AtomicInteger();

	private final Deletions deletions = new Deletions(this.engine, this.postponed::incrementAndGet);

	private final List<VoidCallback> unanswered = new ArrayList<>();

	@BeforeEach
	void connect() {
		ClientHandle handle = mock(ClientHandle.class);
		given(this.engine.anyRequests()).willReturn(new HandleRequests(this.zooKeeper, handle));
		given(handle.absolute(anyString())).willAnswer((call) -> call.getArgument(0));
		status(State.CONNECTED, 0);
		willAnswer((call) -> this.unanswered.add(call.getArgument(2))).given(this.zooKeeper)
			.delete(anyString(), anyInt(), any(), any());
	}

	private void status(State state, long epoch) {
		given(this.engine.status()).willReturn(new SessionStatus(state, Instant.now(), null, epoch, 0, this.zooKeeper));
	}

	@Test
	void deletedNodeIsDeleted() {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		assertThat(this.deletions.pending()).isEqualTo(1);
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
		assertThat(this.deletions.pending()).isZero();
	}

	@Test
	void missingNodeWasGoneBeforeIfTheConnectionStood() {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		answer(Code.NONODE);
		assertThat(done).isCompletedWithValue(Result.GONE_BEFORE);
	}

	@Test
	void missingNodeIsUnclearIfTheConnectionWasInterrupted() {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		status(State.CONNECTED, 1);
		answer(Code.NONODE);
		assertThat(done).isCompletedWithValue(Result.UNKNOWN);
	}

	@Test
	void missingNodeIsUnclearAtTheSecondTry() {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		answer(Code.CONNECTIONLOSS);
		assertThat(this.postponed).hasValue(1);
		this.deletions.resume();
		answer(Code.NONODE);
		assertThat(done).isCompletedWithValue(Result.UNKNOWN);
	}

	@ParameterizedTest
	@EnumSource(value = Code.class,
			names = { "CONNECTIONLOSS", "SESSIONEXPIRED", "SESSIONMOVED", "OPERATIONTIMEOUT", "REQUESTTIMEOUT" })
	void whatWasNotAnsweredWaitsForTheNextConnection(Code code) {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		status(State.SUSPENDED, 1);
		answer(code);
		assertThat(done).isNotDone();
		assertThat(this.unanswered).isEmpty();
		status(State.CONNECTED, 1);
		this.deletions.resume();
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, mode = EnumSource.Mode.EXCLUDE,
			names = { "OK", "NONODE", "NOAUTH", "AUTHFAILED", "INVALIDACL", "BADARGUMENTS", "UNIMPLEMENTED" })
	void everyOtherAnswerIsFollowedByAnotherTry(Code code) {
		assertThatItIsTriedAgainAfter(code.intValue());
	}

	@Test
	void answerThatThisClientDoesNotKnowIsFollowedByAnotherTry() {
		assertThatItIsTriedAgainAfter(-999);
	}

	private void assertThatItIsTriedAgainAfter(int code) {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		for (int tries = 1; tries <= 3; tries++) {
			this.unanswered.remove(0).processResult(code, "/a", null);
			assertThat(this.postponed).hasValue(tries);
			this.deletions.resume();
		}
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	static List<Throwable> failures() {
		return List.of(new InternalError("injected"), new NoClassDefFoundError("injected"), new StackOverflowError(),
				new IllegalStateException("injected"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void deletionWhoseCallFailsIsSentAgain(Throwable failure) {
		failNextCall(failure);
		CompletableFuture<Result> done = this.deletions.delete("/a");
		assertThat(this.postponed).hasValue(1);
		assertThat(done).isNotDone();
		this.deletions.resume();
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void deletionWhoseRepeatedCallFailsIsSentAgainAndKeepsNoOther(Throwable failure) {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		CompletableFuture<Result> other = this.deletions.delete("/b");
		answer(Code.CONNECTIONLOSS);
		answer(Code.CONNECTIONLOSS);
		failNextCall(failure);
		this.deletions.resume();
		answer(Code.OK);
		assertThat(other).isCompletedWithValue(Result.DELETED);
		this.deletions.resume();
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void deletionWhoseHandleFailsIsSentAgain(Throwable failure) {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		answer(Code.CONNECTIONLOSS);
		Requests requests = this.engine.anyRequests();
		given(this.engine.anyRequests()).willThrow(failure).willReturn(requests);
		this.deletions.resume();
		this.deletions.resume();
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	/**
	 * A request may be on its way when its call fails.
	 */
	@Test
	void deletionThatWasSentThoughItsCallFailedIsDecidedByItsFirstAnswer() {
		willAnswer((call) -> {
			this.unanswered.add(call.getArgument(2));
			throw new InternalError("injected");
		}).willAnswer((call) -> this.unanswered.add(call.getArgument(2)))
			.given(this.zooKeeper)
			.delete(anyString(), anyInt(), any(), any());
		CompletableFuture<Result> done = this.deletions.delete("/a");
		this.deletions.resume();
		answer(Code.OK);
		answer(Code.NONODE);
		assertThat(done).isCompletedWithValue(Result.DELETED);
		assertThat(this.deletions.isWaiting()).isFalse();
		assertThat(this.deletions.pending()).isZero();
	}

	@Test
	void replacementWhoseCallEndsInAnErrorIsSentAgain() {
		AtomicInteger calls = new AtomicInteger();
		willAnswer((call) -> {
			if (calls.incrementAndGet() == 1) {
				throw new InternalError("injected");
			}
			call.<Consumer<Code>>getArgument(4).accept(Code.OK);
			return null;
		}).given(this.engine).replace(any(), anyString(), anyString(), any(), any());
		CompletableFuture<Result> done = this.deletions.replace("/a", "/b", new byte[0]);
		assertThat(done).isNotDone();
		this.deletions.resume();
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	private void failNextCall(Throwable failure) {
		willThrow(failure).willAnswer((call) -> this.unanswered.add(call.getArgument(2)))
			.given(this.zooKeeper)
			.delete(anyString(), anyInt(), any(), any());
	}

	@Test
	void nothingIsSentWithoutAConnection() {
		status(State.SUSPENDED, 1);
		CompletableFuture<Result> done = this.deletions.delete("/a");
		assertThat(this.unanswered).isEmpty();
		assertThat(done).isNotDone();
		status(State.CONNECTED, 1);
		this.deletions.resume();
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	/**
	 * The client of an application outlives its locks.
	 */
	@Test
	void deletionAfterTheEndIsSentOnTheLastHandle() {
		status(State.CLOSED, 1);
		CompletableFuture<Result> done = this.deletions.delete("/a");
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "CONNECTIONLOSS", "SESSIONEXPIRED" })
	void deletionThatWaitsEndsWithTheClient(Code code) {
		status(State.SUSPENDED, 1);
		CompletableFuture<Result> done = this.deletions.delete("/a");
		status(State.CLOSED, 2);
		this.deletions.resume();
		answer(code);
		assertThat(done).isCompletedWithValue(Result.UNKNOWN);
		assertThat(this.deletions.isWaiting()).isFalse();
		assertThat(this.deletions.pending()).isZero();
	}

	@Test
	void replacementAndWatchAreNotSentAfterTheEnd() {
		status(State.CLOSED, 1);
		assertThat(this.deletions.replace("/a", "/b", new byte[0])).isCompletedWithValue(Result.UNKNOWN);
		this.deletions.watch("/a", () -> {
		}, (event) -> {
		});
		then(this.engine).should(never()).replace(any(), anyString(), anyString(), any(), any());
		then(this.zooKeeper).shouldHaveNoInteractions();
	}

	@Test
	void deletionThatIsOwedIsWaitedFor() {
		CompletableFuture<Result> owed = this.deletions.owe();
		assertThat(this.deletions.pending()).isEqualTo(1);
		CompletableFuture<?> all = this.deletions.await(Duration.ZERO);
		assertThat(all).isNotDone();
		owed.complete(Result.UNKNOWN);
		assertThat(all).isCompleted();
		assertThat(this.deletions.pending()).isZero();
	}

	@Test
	void nodesWithoutAKnownNameAreDeletedWhenEachIs() {
		willAnswer((call) -> {
			call.<VoidCallback>getArgument(1).processResult(0, "/a", null);
			return null;
		}).given(this.zooKeeper).sync(anyString(), any(), any());
		willAnswer((call) -> {
			call.<Children2Callback>getArgument(2)
				.processResult(0, "/a", null, List.of("mine-1", "other-2"), new Stat());
			return null;
		}).given(this.zooKeeper).getChildren(anyString(), nullable(Watcher.class), any(Children2Callback.class), any());
		CompletableFuture<Result> done = this.deletions.deleteAll("/a", "mine-");
		assertThat(done).isNotDone();
		assertThat(this.unanswered).hasSize(1);
		answer(Code.OK);
		assertThat(done).isCompletedWithValue(Result.DELETED);
	}

	@Test
	void refusalOfTheServersEndsTheRelease() {
		CompletableFuture<Result> done = this.deletions.delete("/a");
		answer(Code.NOAUTH);
		assertThat(done).isCompletedWithValue(Result.REFUSED);
	}

	private void answer(Code code) {
		this.unanswered.remove(0).processResult(code.intValue(), "/a", null);
	}

}
