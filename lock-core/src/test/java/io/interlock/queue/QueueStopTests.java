package io.interlock.queue;

import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link HeldLocks#stop()} while threads hold and wait through a queue.
 */
@Timeout(30)
class QueueStopTests {

	private final QueueUnderTest fixture = QueueUnderTest.withLongTenures();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.fixture.queue(), LockSettings.defaults(),
			this.heldLocks, List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		this.fixture.assertNothingIsLeft();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void stoppingWakesTheWaitersAndSparesTheHolder() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle holder = Background.call(() -> this.template.acquire(WRITER));
		Background<LockHandle> waiting = Background.start(() -> this.template.acquire(WRITER));
		await().until(() -> this.fixture.queue().queues().get(0).waiting() == 1);
		ScriptedGrant grant = this.fixture.attempt(0).granted();
		this.heldLocks.stop();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(waiting::join)
			.withMessageContaining("shutting down");
		assertThat(holder.isValid()).isTrue();
		holder.close();
		assertThat(grant.releases()).isEqualTo(1);
	}

	@Test
	void stoppingGivesUpTheAttempt() throws Exception {
		Background<LockHandle> waiting = Background.start(() -> this.template.acquire(WRITER));
		ScriptedAttempt attempt = this.fixture.provider().awaitAttempt().at(Phase.QUEUED);
		this.heldLocks.stop();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(waiting::join);
		await().until(attempt::isAbandoned);
	}

	@Test
	void nothingWaitsOrJoinsAfterStopping() throws Exception {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		LockHandle reader = Background.call(() -> this.template.acquire(READER));
		this.heldLocks.stop();
		for (LockRequest request : List.of(READER, WRITER)) {
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> this.template.acquire(request))
				.withMessageContaining("shutting down");
		}
		assertThat(this.fixture.attempts()).isEqualTo(1);
		reader.close();
	}

	@Test
	void startsAgain() {
		this.fixture.provider().answers(ScriptedAttempt::grant);
		this.heldLocks.stop();
		this.heldLocks.start();
		this.template.acquire(WRITER).close();
	}

}
