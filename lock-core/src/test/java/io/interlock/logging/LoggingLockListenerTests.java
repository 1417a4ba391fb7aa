package io.interlock.logging;

import java.time.Duration;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link LoggingLockListener}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoggingLockListenerTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of(new LoggingLockListener()));

	@AfterEach
	void resetLevel() {
		setLevel(null);
	}

	@Test
	void saysWhatHappens(CapturedOutput output) {
		setLevel(LogLevel.DEBUG);
		LockHandle handle = this.template.acquire(REQUEST);
		String lock = "lock orders[42], EXCLUSIVE, token " + handle.fencingToken() + ", ";
		handle.close();
		// Threads of other tests may say something too.
		assertThat(output.toString().lines().filter((line) -> line.contains("orders[42]"))).hasSize(3)
			.allMatch((line) -> line.contains("DEBUG") && line.contains("i.i.locks"));
		assertThat(output).contains("Waiting for lock orders[42], EXCLUSIVE, at most 10000 ms")
			.containsPattern("Acquired \\Q" + lock + "\\Eafter \\d+ ms")
			.containsPattern("Released \\Q" + lock + "\\Eheld for \\d+ ms");
	}

	@Test
	void saysThatAndWhyALockWasNotAcquired(CapturedOutput output) {
		setLevel(LogLevel.DEBUG);
		this.provider.attempt(LockRequest.shared("orders").withKey(42), LockCaller.current());
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(LockRequest.FOREVER)));
		assertThat(output).contains("Waiting for lock orders[42], EXCLUSIVE, at most 0 ms")
			.containsPattern("Did not acquire lock orders\\[42], EXCLUSIVE, within \\d+ ms: others hold it")
			.contains("Waiting for lock orders[42], EXCLUSIVE, without a limit")
			.containsPattern("Did not acquire lock orders\\[42], EXCLUSIVE, within \\d+ ms: (?!others)");
	}

	@Test
	void saysThatALockIsKept(CapturedOutput output) {
		setLevel(LogLevel.DEBUG);
		this.template.acquire(REQUEST.withMinHold(Duration.ofMinutes(1))).close();
		assertThat(output)
			.containsPattern(
					"Keeping lock orders\\[42], EXCLUSIVE, token \\d+, for its minimum hold time, held for \\d+ ms")
			.doesNotContain("Released");
		this.heldLocks.releaseKept();
		assertThat(output).contains("Released");
	}

	@Test
	void saysAndAsksNothingOtherwise(CapturedOutput output) {
		LoggingLockListener listener = new LoggingLockListener();
		LockHandle handle = mock(LockHandle.class);
		listener.onWaiting(REQUEST);
		listener.onAcquired(REQUEST, handle, Duration.ZERO);
		listener.onNotAcquired(REQUEST, Duration.ZERO);
		listener.onKept(handle, Duration.ZERO);
		listener.onReleased(handle, Duration.ZERO);
		verifyNoInteractions(handle);
		assertThat(output).doesNotContain("i.i.locks");
	}

	private static void setLevel(LogLevel level) {
		LoggingSystem.get(LoggingLockListener.class.getClassLoader()).setLogLevel(LoggingLockListener.LOGGER, level);
	}

}
