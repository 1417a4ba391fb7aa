package io.interlock.curator;

import java.util.List;
import java.util.Random;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNames}.
 */
class LockNamesTests {

	private static final List<String> PIECES = List.of("a", "Z", "0", "-", "_", ".", "..", "/", ":", "%", "%2F", "%u",
			"2F", "~", " ", "\t", "\u0000", "\u007F", "\u00E4", "\uD83D\uDD12", "\uD83D", "\uDD12", "\uFFFF");

	@ParameterizedTest
	@CsvSource({ "orders,orders,", "orders:42,orders,42", "a%3Ab,a:b,", "a:b%3Ac,a,b:c", "%2E:%2E.,.,..",
			"caf%C3%A9:%F0%9F%94%92,caf\u00E9,\uD83D\uDD12" })
	void findsNameAndKey(String node, String name, @Nullable String key) {
		assertThat(LockNames.idOf(node)).isEqualTo(new LockId(name, key));
	}

	@Test
	void findsWhatWasWritten() {
		Random random = new Random(42);
		for (int i = 0; i < 100_000; i++) {
			LockId id = new LockId(text(random), random.nextInt(3) == 0 ? null : text(random));
			String node = LockPaths.nodeOf(id);
			assertThat(LockNames.idOf(node)).as(node).isEqualTo(id);
			assertThat(LockNames.mayBeOf(node, id.name())).as(node).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "caf\u00E9", "%", "%2", "%zz", "%u12", "%2f", "%41", "%C3", ":", "a:", ":a",
			"a:b:c", ".admin", "%uD83D%uDD12", "a~b", "%20" })
	void namesThatNoLockHas(String node) {
		assertThat(LockNames.idOf(node)).isNull();
	}

	@Test
	void readsTheStartOfLongOnes() {
		assertThat(LockNames.startOf(LockPaths.nodeOf(new LockId("orders", "k".repeat(500)))))
			.isEqualTo(new LockId("orders", "k".repeat(93) + "..."));
		assertThat(LockNames.startOf(LockPaths.nodeOf(new LockId("n".repeat(500), "key"))))
			.isEqualTo(new LockId("n".repeat(100) + "...", null));
		assertThat(LockNames.startOf(LockPaths.nodeOf(new LockId("x", "\uD83D\uDD12".repeat(50)))))
			.isEqualTo(new LockId("x", "\uD83D\uDD12".repeat(8) + "..."));
		assertThat(LockNames.startOf("~")).isEqualTo(new LockId("...", null));
	}

	@Test
	void tellsLongOnesOfOneNameFromOthers() {
		String node = LockPaths.nodeOf(new LockId("orders", "k".repeat(500)));
		assertThat(LockNames.mayBeOf(node, "orders")).isTrue();
		assertThat(LockNames.mayBeOf(node, "order")).isFalse();
		assertThat(LockNames.mayBeOf(node, "orders2")).isFalse();
		assertThat(LockNames.mayBeOf(LockPaths.nodeOf(new LockId("n".repeat(500), "key")), "n".repeat(500))).isTrue();
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		int pieces = 1 + random.nextInt(4);
		for (int i = 0; i < pieces; i++) {
			text.append(PIECES.get(random.nextInt(PIECES.size())));
		}
		return text.toString().isBlank() ? "blank" + text : text.toString();
	}

}
