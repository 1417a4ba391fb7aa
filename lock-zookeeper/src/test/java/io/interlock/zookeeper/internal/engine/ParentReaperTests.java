package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.session.ClientHandle;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.atMost;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link ParentReaper}. Its parents are due as soon as they are idle.
 */
@ExtendWith(OutputCaptureExtension.class)
class ParentReaperTests {

	private static final byte[] OURS = "interlock".getBytes(StandardCharsets.US_ASCII);

	private static final long SERVER_TIME = 1_700_000_000_000L;

	private final ZooKeeper zooKeeper = mock(ZooKeeper.class);

	private final SessionMonitor monitor = mock(SessionMonitor.class);

	private final IdleParents parents = new IdleParents(Duration.ofHours(1), 0, 1000, System::nanoTime);

	private final ParentReaper reaper = new ParentReaper(this.monitor, this.parents, "/root");

	private final ClientHandle handle = mock(ClientHandle.class);

	private final Requests requests = mock(Requests.class);

	private final Map<String, List<String>> children = new HashMap<>();

	private final Queue<Runnable> answers = new ArrayDeque<>();

	private final List<String> swept = new ArrayList<>();

	private final List<StatCallback> looks = new ArrayList<>();

	private final List<DataCallback> reads = new ArrayList<>();

	private final List<VoidCallback> deletions = new ArrayList<>();

	@BeforeEach
	void connect() {
		given(this.requests.maxChildren(anyInt())).willReturn(10_000);
		given(this.monitor.handle()).willReturn(this.handle);
		given(this.handle.absolute(anyString())).willAnswer((call) -> "/namespace" + call.getArgument(0));
		status(State.CONNECTED);
		willAnswer((call) -> this.looks.add(call.getArgument(2))).given(this.zooKeeper)
			.exists(anyString(), eq(false), any(), any());
		willAnswer((call) -> this.reads.add(call.getArgument(2))).given(this.zooKeeper)
			.getData(anyString(), eq(false), any(), any());
		willAnswer((call) -> this.deletions.add(call.getArgument(2))).given(this.zooKeeper)
			.delete(anyString(), anyInt(), any(), any());
	}

	private void status(State state) {
		given(this.monitor.status()).willReturn(new SessionStatus(state, Instant.now(), null, 0, 0, this.zooKeeper));
	}

	@Test
	void emptyParentIsDeletedAsItWasSeen() {
		useOnce("/a");
		see(OURS, stat(0, 7));
		then(this.zooKeeper).should().delete(eq("/namespace/a"), eq(3), any(), any());
		answer(Code.OK);
		assertThat(this.parents.isEmpty()).isTrue();
	}

	@Test
	void parentWithChildrenIsLeftAlone() {
		useOnce("/a");
		see(OURS, stat(1, 7));
		thenNothingIsDeleted();
	}

	@Test
	void parentThatNeverHadAChildIsLeftAlone() {
		useOnce("/a");
		see(OURS, stat(0, 0));
		thenNothingIsDeleted();
	}

	@Test
	void parentThatIsNotOfOurMakingIsLeftAlone() {
		useOnce("/a");
		see("127.0.0.1".getBytes(StandardCharsets.US_ASCII), stat(0, 7));
		thenNothingIsDeleted();
	}

	@Test
	void parentThatIsUsedMeanwhileIsLeftAlone() {
		useOnce("/a");
		this.reaper.use("/a");
		see(OURS, stat(0, 7));
		then(this.zooKeeper).should(never()).delete(anyString(), anyInt(), any(), any());
	}

	@Test
	void parentThatIsGoneIsForgotten() {
		useOnce("/a");
		this.looks.remove(0).processResult(Code.NONODE.intValue(), "/a", null, null);
		thenNothingIsDeleted();
	}

	@Test
	void parentThatGotAChildIsForgotten() {
		useOnce("/a");
		see(OURS, stat(0, 7));
		answer(Code.NOTEMPTY);
		assertThat(this.parents.isEmpty()).isTrue();
	}

	@Test
	void parentWhoseLookWasNotAnsweredIsIdleAgain() {
		useOnce("/a");
		status(State.SUSPENDED);
		this.looks.remove(0).processResult(Code.CONNECTIONLOSS.intValue(), "/a", null, null);
		assertThat(this.parents.size()).isEqualTo(1);
	}

	@Test
	void parentWhoseReadWasNotAnsweredIsIdleAgain() {
		useOnce("/a");
		this.looks.remove(0).processResult(Code.OK.intValue(), "/a", null, stat(0, 7));
		status(State.SUSPENDED);
		this.reads.remove(0).processResult(Code.CONNECTIONLOSS.intValue(), "/a", null, null, null);
		assertThat(this.parents.size()).isEqualTo(1);
	}

	@Test
	void dataThatIsLongerThanTheMarkIsNotRead() {
		useOnce("/a");
		Stat large = stat(0, 7);
		large.setDataLength(1_000_000);
		this.looks.remove(0).processResult(Code.OK.intValue(), "/a", null, large);
		assertThat(this.reads).isEmpty();
		thenNothingIsDeleted();
	}

	@Test
	void parentWhoseDeletionWasNotAnsweredIsIdleAgain() {
		useOnce("/a");
		see(OURS, stat(0, 7));
		status(State.SUSPENDED);
		answer(Code.CONNECTIONLOSS);
		assertThat(this.parents.size()).isEqualTo(1);
	}

	@Test
	void nothingIsSentWithoutAConnection() {
		status(State.SUSPENDED);
		useOnce("/a");
		assertThat(this.looks).isEmpty();
		assertThat(this.parents.size()).isEqualTo(1);
	}

	@Test
	void fewRequestsAreUnderWayAndEachAnswerSendsTheNext() {
		for (int i = 0; i < 200; i++) {
			useOnce("/" + i);
		}
		assertThat(this.looks).hasSize(64);
		see(OURS, stat(0, 7));
		assertThat(this.looks).hasSize(63);
		answer(Code.OK);
		assertThat(this.looks).hasSize(64);
	}

	@Test
	void errorsLeaveTheReaperAsItWas() {
		willThrow(new StackOverflowError()).given(this.zooKeeper).exists(anyString(), eq(false), any(), any());
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> useOnce("/a"));
		}
		willAnswer((call) -> this.looks.add(call.getArgument(2))).given(this.zooKeeper)
			.exists(anyString(), eq(false), any(), any());
		for (int i = 0; i < 200; i++) {
			useOnce("/" + i);
		}
		assertThat(this.looks).hasSize(64);
	}

	@Test
	void nodeThatKeptALockIsSweptAMinuteAfterItsEnd() {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		long ended = SERVER_TIME - 60_000;
		serve("/root", List.of("ended", "free", "kept"));
		serve("/root/ended", List.of("kept-exclusive-7-" + ended, "kept-permit-3-8-" + ended, "0-lock-0000000000"));
		serve("/root/free", List.of());
		serve("/root/kept", List.of("kept-exclusive-9-" + (ended + 1), "kept-exclusive-9-" + (SERVER_TIME + 1)));
		sweep();
		assertThat(this.swept).containsExactly("/root/ended/kept-exclusive-7-" + ended,
				"/root/ended/kept-permit-3-8-" + ended);
		then(this.zooKeeper).should(atLeastOnce()).exists(eq("/namespace/root/ended"), eq(false), any(), any());
	}

	@Test
	void sweepsLookAtAFewLocksInTurns() {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		List<String> locks = IntStream.range(0, 1200).mapToObj((i) -> "lock-" + i).toList();
		serve("/root", locks);
		locks.forEach((lock) -> serve("/root/" + lock, List.of("kept-exclusive-7-1000000000000")));
		sweep();
		assertThat(this.swept).hasSizeBetween(1, 500);
		for (int i = 0; i < 3; i++) {
			sweep();
		}
		assertThat(this.swept.stream().distinct()).hasSize(1200);
		then(this.requests).should(atMost(4 * 501)).stat(anyString(), any());
	}

	@Test
	void sweepsInTurnsReachAllOfManyLocks() {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		given(this.requests.maxChildren(anyInt())).willReturn(100_000);
		List<String> locks = IntStream.range(0, 20_000).mapToObj((i) -> "lock-" + i).toList();
		serve("/root", locks);
		locks.forEach((lock) -> serve("/root/" + lock, List.of("kept-exclusive-7-1000000000000")));
		for (int i = 0; i < 41; i++) {
			int before = this.swept.size();
			sweep();
			assertThat(this.swept.size() - before).isLessThanOrEqualTo(500);
		}
		assertThat(this.swept.stream().distinct()).hasSize(20_000);
	}

	@Test
	void nodesOfALockWithManyNodesAreSwept() {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		serve("/root", List.of("busy"));
		serve("/root/busy",
				IntStream.range(0, 2000).mapToObj((i) -> "kept-permit-3000-" + i + "-1000000000000").toList());
		sweep();
		assertThat(this.swept).hasSize(2000);
	}

	@Test
	void moreLocksThanAListHoldsAreNotListedAndReportedOnce(CapturedOutput output) {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		given(this.handle.isNews("/root")).willReturn(true, false);
		given(this.requests.maxChildren(204)).willReturn(5000);
		serve("/root", IntStream.range(0, 5001).mapToObj((i) -> "lock-" + i).toList());
		sweep();
		sweep();
		then(this.requests).should(never()).list(anyString(), any());
		assertThat(output).containsOnlyOnce("There are 5001 nodes below /root").contains("jute.maxbuffer");
	}

	@Test
	void sweepThatGetsNoAnswerEnds() {
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		serve("/root", List.of("a", "b"));
		willAnswer((call) -> {
			call.<BiConsumer<Code, Stat>>getArgument(1).accept(Code.CONNECTIONLOSS, null);
			return null;
		}).given(this.requests).stat(eq("/root/a"), any());
		sweep();
		then(this.requests).should(never()).stat(eq("/root/b"), any());
	}

	@Test
	void sweepsAreRareAndNeedTheTimeOfTheServers() {
		AtomicLong now = new AtomicLong();
		ParentReaper reaper = new ParentReaper(this.monitor, new IdleParents(Duration.ofHours(1), 0, 10, now::get),
				"/root");
		now.set(Duration.ofMinutes(10).toNanos());
		reaper.sweepWhenDue();
		then(this.zooKeeper).should(never()).exists(anyString(), anyBoolean(), any(), any());
		given(this.handle.serverTimeReached(anyLong())).willReturn(SERVER_TIME);
		reaper.sweepWhenDue();
		reaper.sweepWhenDue();
		then(this.zooKeeper).should().exists(eq("/namespace/root"), eq(false), any(), any());
		now.addAndGet(Duration.ofMinutes(5).toNanos() - 1);
		reaper.sweepWhenDue();
		then(this.zooKeeper).should().exists(eq("/namespace/root"), eq(false), any(), any());
	}

	private void sweep() {
		this.reaper.sweep(this.requests);
		for (Runnable answer = this.answers.poll(); answer != null; answer = this.answers.poll()) {
			answer.run();
		}
	}

	/** Answer requests for a path and for deletions below it. */
	private void serve(String path, List<String> names) {
		this.children.put(path, names);
		willAnswer((call) -> {
			List<String> found = this.children.get(call.<String>getArgument(0));
			return this.answers
				.add(() -> call.<BiConsumer<Code, Stat>>getArgument(1).accept(Code.OK, stat(found.size(), 1)));
		}).given(this.requests).stat(anyString(), any());
		willAnswer((call) -> {
			List<String> found = this.children.get(call.<String>getArgument(0));
			return this.answers.add(() -> call.<BiConsumer<Code, List<String>>>getArgument(1).accept(Code.OK, found));
		}).given(this.requests).list(anyString(), any());
		willAnswer((call) -> {
			this.swept.add(call.getArgument(0));
			call.<Consumer<Code>>getArgument(1).accept(Code.OK);
			return null;
		}).given(this.requests).delete(anyString(), any());
	}

	private void useOnce(String parent) {
		this.reaper.use(parent);
		this.reaper.end(parent);
	}

	private static Stat stat(int children, int cversion) {
		Stat stat = new Stat();
		stat.setNumChildren(children);
		stat.setCversion(cversion);
		stat.setVersion(3);
		stat.setDataLength(OURS.length);
		return stat;
	}

	private void see(byte[] data, Stat stat) {
		this.looks.remove(0).processResult(Code.OK.intValue(), "/a", null, stat);
		if (!this.reads.isEmpty()) {
			this.reads.remove(0).processResult(Code.OK.intValue(), "/a", null, data, stat);
		}
	}

	private void answer(Code code) {
		this.deletions.remove(0).processResult(code.intValue(), "/a", null);
	}

	private void thenNothingIsDeleted() {
		then(this.zooKeeper).should(never()).delete(anyString(), anyInt(), any(), any());
		assertThat(this.parents.isEmpty()).isTrue();
	}

}
