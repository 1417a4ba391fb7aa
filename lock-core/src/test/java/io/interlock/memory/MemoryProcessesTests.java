package io.interlock.memory;

import java.time.Duration;
import java.util.List;

import io.interlock.testsupport.process.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks in the memory of several JVMs, which know nothing of each other.
 */
class MemoryProcessesTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static JavaProcess holder() {
		return JavaProcess.start(HoldingWorker.class, null, JavaProcess.quickStart("64m"), List.of("stock"));
	}

	private static String state(JavaProcess holder) {
		return holder.await(HoldingWorker.STATE, PATIENCE);
	}

	@Test
	void eachProcessHasLocksOfItsOwn() {
		JavaProcess holder = holder();
		try (JavaProcess other = holder()) {
			assertThat(state(holder)).isEqualTo("VALID");
			assertThat(state(other)).isEqualTo("VALID");
			holder.close();
			other.send("state");
			assertThat(state(other)).isEqualTo("VALID");
		}
		finally {
			holder.close();
		}
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no SIGSTOP")
	void pausedHolderStillHolds() throws Exception {
		try (JavaProcess holder = holder()) {
			assertThat(state(holder)).isEqualTo("VALID");
			holder.pause(Duration.ofSeconds(2));
			holder.send("state");
			assertThat(state(holder)).isEqualTo("VALID");
		}
	}

}
