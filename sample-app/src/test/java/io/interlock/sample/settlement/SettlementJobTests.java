package io.interlock.sample.settlement;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockCallback;
import io.interlock.template.LockOutcome;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link SettlementJob}.
 */
class SettlementJobTests {

	private static final LockRequest WITHOUT_WAITING = LockRequest.exclusive("settlement").withWaitTime(Duration.ZERO);

	private final LockTemplate locks = mock(LockTemplate.class);

	private final Settlements settlements = mock(Settlements.class);

	private final SettlementJob job = new SettlementJob(this.locks, this.settlements);

	@Test
	void settlesUnderTheLock() {
		LockHandle lock = mock(LockHandle.class);
		given(this.locks.tryExecute(eq(WITHOUT_WAITING), any())).willAnswer((invocation) -> {
			LockCallback<Boolean, RuntimeException> action = invocation.getArgument(1);
			return LockOutcome.acquired(action.doInLock(lock));
		});
		this.job.run();
		then(this.settlements).should().settle(lock);
	}

	@Test
	void leavesItToTheInstanceThatHasTheLock() {
		given(this.locks.tryExecute(eq(WITHOUT_WAITING), any())).willReturn(LockOutcome.notAcquired());
		this.job.run();
		then(this.settlements).shouldHaveNoInteractions();
	}

}
