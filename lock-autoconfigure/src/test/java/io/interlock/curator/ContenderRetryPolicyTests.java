package io.interlock.curator;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.curator.RetryPolicy;
import org.apache.curator.RetrySleeper;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ContenderRetryPolicy}.
 */
class ContenderRetryPolicyTests {

	private final RetryPolicy delegate = mock(RetryPolicy.class);

	private final RetrySleeper sleeper = mock(RetrySleeper.class);

	private final ContenderRetryPolicy policy = new ContenderRetryPolicy(this.delegate);

	private final ContenderThreads threads = new ContenderThreads();

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void contenderRetriesForEver() throws Exception {
		assertThat(asContender(() -> this.policy.allowRetry(Integer.MAX_VALUE, Long.MAX_VALUE, this.sleeper))).isTrue();
		then(this.sleeper).should().sleepFor(anyLong(), any());
		then(this.delegate).shouldHaveNoInteractions();
	}

	@Test
	void contenderThatIsInterruptedGivesUpAndKeepsTheFlag() throws Exception {
		willThrow(new InterruptedException()).given(this.sleeper).sleepFor(anyLong(), any());
		assertThat(asContender(
				() -> !this.policy.allowRetry(1, 1, this.sleeper) && Thread.currentThread().isInterrupted()))
			.isTrue();
	}

	@Test
	void everybodyElseIsLeftToTheDelegate() {
		given(this.delegate.allowRetry(3, 7, this.sleeper)).willReturn(true);
		assertThat(this.policy.allowRetry(3, 7, this.sleeper)).isTrue();
		assertThat(this.policy.allowRetry(4, 7, this.sleeper)).isFalse();
	}

	@Test
	void delegateSaysWhichFailuresAreWorthARetry() {
		KeeperException failure = new KeeperException.ConnectionLossException();
		given(this.delegate.allowRetry(failure)).willReturn(true);
		assertThat(this.policy.allowRetry(failure)).isTrue();
		assertThat(this.policy.allowRetry(new KeeperException.NoAuthException())).isFalse();
	}

	private boolean asContender(BooleanSupplier question) throws Exception {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.threads.contend(() -> answer.complete(question.getAsBoolean()), () -> {
		});
		return answer.get(10, TimeUnit.SECONDS);
	}

}
