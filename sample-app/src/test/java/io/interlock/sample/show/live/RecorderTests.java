package io.interlock.sample.show.live;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Recorder}.
 */
class RecorderTests {

	private final Story story = new Story();

	private final Recorder recorder = new Recorder(this.story);

	@Test
	void tellsGrantsFromHandOffs() {
		acquire("seats", 0);
		acquire("seats", 1);
		acquire("seats", 2);
		LockActivity activity = this.recorder.activities().get(new LockId("seats", null));
		assertThat(activity.grants()).isEqualTo(1);
		assertThat(activity.handoffs()).isEqualTo(2);
	}

	@Test
	void countsWaits() {
		acquire("seats", 0);
		assertThat(this.recorder.waits()).singleElement()
			.satisfies((second) -> assertThat(second.counts().get(4)).isEqualTo(1));
	}

	@Test
	void tellsOfALoss() {
		LockHandle lock = acquire("seats", 0);
		this.recorder.onLost(lock);
		assertThat(this.recorder.activities().get(lock.id()).lost()).isEqualTo(1);
		assertThat(this.story.happenings()).singleElement()
			.satisfies((happening) -> assertThat(happening.text()).startsWith("Lost seats after").endsWith("token 42"));
	}

	@Test
	void remembersTheLocksThatWereUsedLast() {
		for (int i = 0; i < 60; i++) {
			acquire("first", 0);
			acquire("lock-" + i, 0);
		}
		assertThat(this.recorder.activities()).hasSize(50)
			.containsKeys(new LockId("first", null), new LockId("lock-59", null))
			.doesNotContainKey(new LockId("lock-0", null));
	}

	private LockHandle acquire(String name, int handoff) {
		LockHandle lock = mock(LockHandle.class);
		given(lock.id()).willReturn(new LockId(name, null));
		given(lock.handoff()).willReturn(handoff);
		given(lock.acquiredAt()).willReturn(Instant.now());
		given(lock.fencingToken()).willReturn(42L);
		this.recorder.onAcquired(LockRequest.exclusive(name), lock, Duration.ofMillis(15));
		return lock;
	}

}
