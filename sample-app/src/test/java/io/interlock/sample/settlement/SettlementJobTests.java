package io.interlock.sample.settlement;

import java.time.Duration;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link SettlementJob}.
 */
class SettlementJobTests {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate locks = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	private final Settlements settlements = mock(Settlements.class);

	private final SettlementJob job = job(this.locks);

	private LockHandle lock;

	@BeforeEach
	void rememberTheLock() {
		willAnswer((invocation) -> {
			this.lock = invocation.getArgument(0);
			assertThat(this.lock.isValid()).isTrue();
			return 0L;
		}).given(this.settlements).settle(any());
	}

	@AfterEach
	void stop() {
		this.heldLocks.releaseKept();
	}

	@Test
	void settlesUnderTheLock() {
		this.job.run();
		then(this.settlements).should().settle(this.lock);
		assertThat(this.lock.id()).isEqualTo(LockRequest.exclusive("settlement").id());
	}

	@Test
	void leavesItToTheInstanceThatHasTheLock() {
		LockGrant other = this.provider.attempt(LockRequest.exclusive("settlement"), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
		this.job.run();
		then(this.settlements).shouldHaveNoInteractions();
		other.release();
	}

	@Test
	void doesNothingBeforeTheIntervalIsOver() {
		this.job.run();
		this.job.run();
		job(new LockTemplate(this.provider)).run();
		then(this.settlements).should(times(1)).settle(any());
		this.heldLocks.releaseKept();
		job(new LockTemplate(this.provider)).run();
		then(this.settlements).should(times(2)).settle(any());
	}

	private SettlementJob job(LockTemplate template) {
		return new SettlementJob(template, this.settlements,
				new BoxOfficeProperties(true, false, Duration.ZERO, new BoxOfficeProperties.Rush(1),
						new BoxOfficeProperties.Settlement(Duration.ofHours(1)),
						new BoxOfficeProperties.Database("test", false, 0)));
	}

}
