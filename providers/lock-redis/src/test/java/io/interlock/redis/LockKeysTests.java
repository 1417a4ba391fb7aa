package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

import io.interlock.LockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockKeys}.
 */
class LockKeysTests {

	private final LockKeys keys = new LockKeys("interlock:");

	@ParameterizedTest
	@CsvSource({ "stock, A-1, interlock:{stock:A-1}", "stock, , interlock:{stock}", "a:b, c, interlock:{a%3Ab:c}",
			"a, b:c, interlock:{a:b:c}", "}, {%3A, interlock:{%7D:%7B%253A}" })
	void keyIsReadableAndLeadsBackToItsLock(String name, String key, String expected) {
		LockId id = new LockId(name, key);
		assertThat(this.keys.keyOf(id)).isEqualTo(expected);
		assertThat(this.keys.lockOf(expected)).isEqualTo(id);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\0", "a\0b", "\uD83D\uDD12", "\uD83D", "\uDD12\uD83D", "?", "%uD83D", "\uFFFD" })
	void keyOfAnyCharactersLeadsBackToItsLock(String text) {
		for (LockId id : List.of(new LockId(text, text), new LockId("stock", text), new LockId(text, null))) {
			String key = this.keys.keyOf(id);
			assertThat(new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)).isEqualTo(key);
			assertThat(this.keys.lockOf(key)).isEqualTo(id);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "stock", "interlock:", "interlock:{", "interlock:{}", "interlock:{ }",
			"interlock:{stock:}", "interlock:{:A-1}", "interlock:{stock", "other:{stock}" })
	void keyOfAnotherProgramLeadsToNoLock(String key) {
		assertThat(this.keys.lockOf(key)).isNull();
	}

	@Test
	void keyThatIsLongerThanThatOfAnyLockLeadsToNone() {
		assertThat(this.keys.lockOf("interlock:{" + "a".repeat(LockId.MAX_LENGTH + 1) + "}")).isNull();
	}

	@Test
	void textsThatWereBrokenAtRandomLeadToALockOrToNone() {
		Random random = new Random(42);
		for (int i = 0; i < 20_000; i++) {
			StringBuilder key = new StringBuilder("interlock:{stock%3A:A-1%uD83D}");
			for (int changes = random.nextInt(6); changes > 0; changes--) {
				int at = random.nextInt(key.length());
				key.replace(at, at + random.nextInt(2),
						String.valueOf("{}:%uD83 ".charAt(random.nextInt(9))).repeat(random.nextInt(3)));
			}
			LockId id = this.keys.lockOf(key.toString());
			assertThat(id == null || !id.name().isBlank()).as(key.toString()).isTrue();
		}
	}

	@Test
	void keysOfOneLockHaveOneSlot() {
		String key = this.keys.keyOf(new LockId("}stock", "A-1"));
		assertThat(ClusterSlotHashUtil.calculateSlot(key + ":more")).isEqualTo(ClusterSlotHashUtil.calculateSlot(key));
	}

}
