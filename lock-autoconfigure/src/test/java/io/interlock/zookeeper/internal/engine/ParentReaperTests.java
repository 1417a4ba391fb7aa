package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link ParentReaper}. Its parents are due as soon as they are idle.
 */
class ParentReaperTests {

	private static final byte[] OURS = "interlock".getBytes(StandardCharsets.US_ASCII);

	private final ZooKeeper zooKeeper = mock(ZooKeeper.class);

	private final SessionMonitor monitor = mock(SessionMonitor.class);

	private final IdleParents parents = new IdleParents(Duration.ofHours(1), 0, 1000);

	private final ParentReaper reaper = new ParentReaper(this.monitor, this.parents);

	private final List<StatCallback> looks = new ArrayList<>();

	private final List<DataCallback> reads = new ArrayList<>();

	private final List<VoidCallback> deletions = new ArrayList<>();

	@BeforeEach
	void connect() {
		ClientHandle handle = mock(ClientHandle.class);
		given(this.monitor.handle()).willReturn(handle);
		given(handle.absolute(anyString())).willAnswer((call) -> "/namespace" + call.getArgument(0));
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
