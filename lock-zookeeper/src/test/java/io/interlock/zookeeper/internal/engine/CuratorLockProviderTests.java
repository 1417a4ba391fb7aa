package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.node.LockPaths;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link CuratorLockProvider} without servers: what an attempt leaves behind
 * whose thread does not begin.
 */
class CuratorLockProviderTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("stock");

	private final ZooKeeperEngine engine = mock(ZooKeeperEngine.class);

	private final LockPaths paths = new LockPaths(Instance.ROOT);

	private final List<Engine.Attempt> attempts = new ArrayList<>();

	private final List<Runnable> notBegun = new ArrayList<>();

	private @Nullable LockServiceUnavailableException refusal;

	private final CuratorLockProvider provider = new CuratorLockProvider(this.engine, (id) -> this.refusal);

	@BeforeEach
	void prepareEngine() {
		given(this.engine.paths()).willReturn(this.paths);
		given(this.engine.settings()).willReturn(Instance.settings(Recipe.CURATOR, Map.of()));
		willAnswer((call) -> this.attempts.add(call.getArgument(0))).given(this.engine).add(any(), any());
		willAnswer((call) -> this.notBegun.add(call.getArgument(0))).given(this.engine).execute(any());
	}

	@Test
	void attemptThatIsAbandonedBeforeItsThreadBeginsNoLongerUsesItsParent() {
		LockAttempt attempt = this.provider.attempt(REQUEST, LockCaller.current());
		then(this.engine).should(never()).endUse(any());
		attempt.abandon();
		assertLeavesNothing();
		this.notBegun.forEach(Runnable::run);
		assertLeavesNothing();
	}

	@Test
	void attemptThatIsRefusedHasNoThread() {
		this.refusal = ProviderFailures.closed(REQUEST.id());
		LockAttempt attempt = this.provider.attempt(REQUEST, LockCaller.current());
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThat(this.notBegun).isEmpty();
		assertLeavesNothing();
	}

	@Test
	void attemptUnderWayFailsWithTheReasonThatComesLater() {
		LockAttempt attempt = this.provider.attempt(REQUEST, LockCaller.current());
		LockServiceUnavailableException reason = ProviderFailures.closed(REQUEST.id());
		this.attempts.forEach((added) -> added.fail(reason));
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThatExceptionOfType(Exception.class).isThrownBy(attempt.outcome()::join).withCause(reason);
		assertLeavesNothing();
	}

	@Test
	void attemptThatFindsNoThreadLeavesNothing() {
		willThrow(RejectedExecutionException.class).given(this.engine).execute(any());
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> this.provider.attempt(REQUEST, LockCaller.current()));
		assertLeavesNothing();
	}

	@Test
	void hasNoSemaphores() {
		assertThat(this.provider.capabilities().supports(LockMode.SHARED)).isTrue();
		assertThat(this.provider.capabilities().supports(LockMode.PERMIT)).isFalse();
	}

	private void assertLeavesNothing() {
		String path = this.paths.pathOf(REQUEST.id());
		inOrder(this.engine).verify(this.engine).add(any(), eq(path));
		this.attempts.forEach((attempt) -> then(this.engine).should(times(1)).remove(attempt));
		assertThat(this.attempts).hasSize(1);
		then(this.engine).should(times(1)).endUse(path);
	}

}
