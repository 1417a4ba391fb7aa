package io.interlock.zookeeper.internal.session;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Testable;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willDoNothing;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link ForgottenConnection}.
 */
class ForgottenConnectionTests {

	private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

	private final ClientHandle handle = mock(ClientHandle.class);

	private final Executor threads = mock(Executor.class);

	private final ZooKeeper zooKeeper = mock(ZooKeeper.class);

	private final Testable connection = mock(Testable.class);

	private final AtomicReference<StatCallback> question = new AtomicReference<>();

	private final ForgottenConnection forgotten = new ForgottenConnection(this.handle, this.threads);

	@BeforeEach
	void forget() {
		given(this.handle.number()).willReturn(3L);
		given(this.handle.current()).willReturn(this.zooKeeper);
		given(this.zooKeeper.getState()).willReturn(ZooKeeper.States.CONNECTED);
		given(this.zooKeeper.getTestable()).willReturn(this.connection);
		willAnswer((call) -> {
			call.getArgument(0, Runnable.class).run();
			return null;
		}).given(this.threads).execute(any());
		willAnswer((call) -> {
			this.question.set(call.getArgument(2));
			return null;
		}).given(this.zooKeeper).exists(anyString(), eq(false), any(StatCallback.class), any());
	}

	@Test
	void connectionThatAnswersIsMadeAnew() throws IOException {
		lookAfter(0, 1000);
		answer(Code.OK);
		then(this.connection).should().closeSocket();
	}

	@Test
	void looksAgainAfterThereWasNoThread() throws IOException {
		willThrow(new StackOverflowError()).willAnswer((call) -> {
			call.getArgument(0, Runnable.class).run();
			return null;
		}).given(this.threads).execute(any());
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> lookAfter(0, 1000));
		lookAfter(2000);
		answer(Code.OK);
		then(this.connection).should().closeSocket();
	}

	@Test
	void missingRootIsAnAnswerToo() throws IOException {
		lookAfter(0, 1000);
		answer(Code.NONODE);
		then(this.connection).should().closeSocket();
	}

	@Test
	void connectionThatDoesNotAnswerIsLeftAlone() throws IOException {
		lookAfter(0, 1000);
		answer(Code.CONNECTIONLOSS);
		then(this.connection).should(never()).closeSocket();
	}

	@Test
	void connectionThatCuratorKnowsByTheAnswerIsLeftAlone() throws IOException {
		lookAfter(0, 1000);
		given(this.handle.isConnected()).willReturn(true);
		answer(Code.OK);
		then(this.connection).should(never()).closeSocket();
	}

	@Test
	void handleThatIsGivenUpBeforeTheAnswerIsLeftAlone() throws IOException {
		lookAfter(0, 1000);
		given(this.handle.number()).willReturn(4L);
		answer(Code.OK);
		then(this.connection).should(never()).closeSocket();
	}

	@Test
	void handleWithoutConnectionIsNotAsked() {
		given(this.zooKeeper.getState()).willReturn(ZooKeeper.States.CONNECTING);
		lookAfter(0, 1000);
		assertThat(this.question).hasNullValue();
	}

	@Test
	void briefInterruptionIsNotLookedAt() {
		lookAfter(0, 900);
		given(this.handle.isConnected()).willReturn(true);
		lookAfter(950);
		given(this.handle.isConnected()).willReturn(false);
		lookAfter(1000, 1900);
		assertThat(this.question).hasNullValue();
		lookAfter(2000);
		assertThat(this.question).doesNotHaveNullValue();
	}

	@Test
	void looksOnceASecond() {
		lookAfter(0, 1000);
		this.question.set(null);
		lookAfter(1900);
		assertThat(this.question).hasNullValue();
		lookAfter(2000);
		assertThat(this.question).doesNotHaveNullValue();
	}

	@Test
	void lookThatIsHeldUpIsNotJoinedByAnother() {
		willDoNothing().given(this.threads).execute(any());
		lookAfter(0, 1000, 2000, 3000);
		then(this.threads).should(times(1)).execute(any());
	}

	@Test
	void clientThatIsClosedIsNoFailure() {
		given(this.handle.current()).willThrow(new IllegalStateException("closed")).willReturn(this.zooKeeper);
		lookAfter(0, 1000);
		assertThat(this.question).hasNullValue();
		lookAfter(2000);
		assertThat(this.question).doesNotHaveNullValue();
	}

	private void lookAfter(long... millis) {
		for (long each : millis) {
			this.forgotten.lookWhenDue(START + TimeUnit.MILLISECONDS.toNanos(each));
		}
	}

	private void answer(Code code) {
		this.question.get().processResult(code.intValue(), "/", null, null);
	}

}
