package io.interlock.benchmark.memory;

import java.time.Duration;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InMemoryLockProvider}.
 */
class InMemoryLockProviderTests {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final LockRequest request = LockRequest.exclusive("a").withWaitTime(LockRequest.FOREVER);

	@Test
	void grantsInOrder() {
		LockHandle first = attempt().outcome().join().orElseThrow();
		LockAttempt second = attempt();
		LockAttempt third = attempt();
		assertThat(second.outcome()).isNotDone();
		first.close();
		assertThat(second.outcome()).isDone();
		assertThat(third.outcome()).isNotDone();
	}

	@Test
	void passesOverWhoGaveUp() {
		LockHandle first = attempt().outcome().join().orElseThrow();
		LockAttempt second = attempt();
		LockAttempt third = attempt();
		second.abandon();
		first.close();
		assertThat(third.outcome()).isCompletedWithValueMatching((handle) -> handle.isPresent());
	}

	@Test
	void excludes() throws InterruptedException {
		LockTemplate template = new LockTemplate(this.provider);
		Tally tally = Load.run(LoadPlan.hot(4, Duration.ZERO), new TemplateLocks(template, this.request),
				new Pace(Duration.ZERO, Duration.ofMillis(200)));
		assertThat(tally.operations()).isPositive();
	}

	private LockAttempt attempt() {
		return this.provider.attempt(this.request, LockOwner.current());
	}

	/**
	 * One lock, whatever the key.
	 */
	private record TemplateLocks(LockTemplate template, LockRequest request) implements Locks {

		@Override
		public void exclusively(String key, Runnable body) {
			this.template.executeWithoutResult(this.request, (lock) -> body.run());
		}

		@Override
		public boolean tryExclusively(String key, Runnable body) {
			return false;
		}

		@Override
		public void close() {
		}

	}

}
