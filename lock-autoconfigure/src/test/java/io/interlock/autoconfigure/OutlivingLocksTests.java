package io.interlock.autoconfigure;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockOperator;
import io.interlock.template.LockSnapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutlivingLocks}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutlivingLocksTests {

	private static LockSnapshot kept(String key, String thread) {
		return kept(key, thread, null);
	}

	private static LockSnapshot kept(String key, String thread, LockOperator operator) {
		return new LockSnapshot(new LockId("job", key), LockMode.EXCLUSIVE, 1L, true, null, thread, Instant.EPOCH,
				List.of(), Instant.parse("2026-11-28T12:00:00Z"), null, operator);
	}

	@Test
	void linesNameTheLockItsEndAndItsOperator(CapturedOutput output) {
		OutlivingLocks.tell(List.of(kept("a", "main"), kept("b", "operator 'alice'", new LockOperator("'alice'", null)),
				kept("c", "operator 'bob'")));
		assertThat(output).contains("stay held after this instance has stopped: 3, "
				+ "job[a] until 2026-11-28T12:00:00Z for its minimum hold time, "
				+ "job[b] until 2026-11-28T12:00:00Z for operator 'alice', "
				+ "job[c] until 2026-11-28T12:00:00Z for its minimum hold time");
	}

	@Test
	void lineIsBounded(CapturedOutput output) {
		OutlivingLocks.tell(IntStream.range(0, 1000).mapToObj((key) -> kept("" + key, "main")).toList());
		assertThat(output).contains("stopped: 1000, job[0] until", "job[9] until", ", and 990 more")
			.doesNotContain("job[10]");
	}

	@Test
	void stopWithoutSuchLocksSaysNothing(CapturedOutput output) {
		OutlivingLocks.tell(List.of());
		assertThat(output).doesNotContain("stay held");
	}

}
