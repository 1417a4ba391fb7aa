package io.interlock.zookeeper.internal.node;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.interlock.LockId;
import org.apache.zookeeper.common.PathUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockPaths}.
 */
class LockPathsTests {

	private static final List<String> PIECES = List.of("a", "b", "Z", "0", "-", "_", ".", "..", "/", ":", "%", "%2F",
			"%u", "u", "2F", "~", " ", "\t", "\u0000", "\u001F", "\u007F", "\u0080", "\u00E4", "e\u0301", "\u00E9",
			"\uD83D\uDD12", "\uD83D", "\uDD12", "\uFFFF", "\uF8FF", "\u202E", "zookeeper", "lock-", "x".repeat(90));

	private final LockPaths paths = new LockPaths("/interlock");

	@ParameterizedTest
	@CsvSource({ "orders,,/interlock/orders", "orders,42,/interlock/orders:42", "a:b,,/interlock/a%3Ab",
			"a,b:c,/interlock/a:b%3Ac", "a.b,c.d,/interlock/a.b:c.d", ".,..,/interlock/%2E:%2E.",
			"a/b,%2F,/interlock/a%2Fb:%252F", "caf\u00E9,\uD83D\uDD12,/interlock/caf%C3%A9:%F0%9F%94%92" })
	void readsLikeTheLock(String name, @Nullable String key, String path) {
		assertThat(this.paths.pathOf(new LockId(name, key))).isEqualTo(path);
	}

	@Test
	void differentLocksNeverMeet() {
		Random random = new Random(42);
		Map<String, LockId> byPath = new HashMap<>();
		for (int i = 0; i < 200_000; i++) {
			LockId id = new LockId(text(random), random.nextInt(3) == 0 ? null : text(random));
			String path = this.paths.pathOf(id);
			LockId other = byPath.putIfAbsent(path, id);
			assertThat(other == null || other.equals(id)).as("%s and %s are both %s", id, other, path).isTrue();
			assertLegal(path);
		}
		assertThat(byPath).hasSizeGreaterThan(50_000);
	}

	@Test
	void longKeysAreToldApartByTheirEnds() {
		String start = "k".repeat(999);
		String one = this.paths.pathOf(new LockId("orders", start + "1"));
		String two = this.paths.pathOf(new LockId("orders", start + "2"));
		assertThat(one).isNotEqualTo(two).startsWith("/interlock/orders:kkk").hasSizeLessThan(220);
		assertLegal(one);
	}

	@Test
	void longNamesDoNotMeetLongKeys() {
		String part = "p".repeat(150);
		assertThat(List.of(this.paths.pathOf(new LockId(part + part, null)), this.paths.pathOf(new LockId(part, part)),
				this.paths.pathOf(new LockId(part + ":" + part, null)), this.paths.pathOf(new LockId(part, ":" + part)),
				this.paths.pathOf(new LockId(part + ":", part))))
			.doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@CsvSource({ "orders,orders,", "orders:42,orders,42", "a%3Ab,a:b,", "a:b%3Ac,a,b:c", "%2E:%2E.,.,..",
			"caf%C3%A9:%F0%9F%94%92,caf\u00E9,\uD83D\uDD12" })
	void findsNameAndKeyOfANode(String node, String name, @Nullable String key) {
		assertThat(LockPaths.idOf(node)).isEqualTo(new LockId(name, key));
	}

	@Test
	void findsTheLockOfItsNode() {
		Random random = new Random(42);
		for (int i = 0; i < 100_000; i++) {
			LockId id = new LockId(text(random), random.nextInt(3) == 0 ? null : text(random));
			String node = LockPaths.nodeOf(id);
			assertThat(LockPaths.idOf(node)).as(node).isEqualTo(LockPaths.isShortened(node) ? null : id);
			assertThat(LockPaths.mayBeOf(node, id.name())).as(node).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "caf\u00E9", "%", "%2", "%zz", "%u12", "%2f", "%41", "%C3", ":", "a:", ":a",
			"a:b:c", ".admin", "%uD83D%uDD12", "a~b", "%20" })
	void nodesThatNoLockHasHaveNoLock(String node) {
		assertThat(LockPaths.idOf(node)).isNull();
	}

	@Test
	void readsTheStartOfShortenedNodes() {
		assertThat(LockPaths.startOf(LockPaths.nodeOf(new LockId("orders", "k".repeat(500)))))
			.isEqualTo(new LockId("orders", "k".repeat(93) + "..."));
		assertThat(LockPaths.startOf(LockPaths.nodeOf(new LockId("n".repeat(500), "key"))))
			.isEqualTo(new LockId("n".repeat(100) + "...", null));
		assertThat(LockPaths.startOf(LockPaths.nodeOf(new LockId("x", "\uD83D\uDD12".repeat(50)))))
			.isEqualTo(new LockId("x", "\uD83D\uDD12".repeat(8) + "..."));
		assertThat(LockPaths.startOf("~")).isEqualTo(new LockId("...", null));
	}

	@Test
	void readsNodesThatAreLongerThanAnyLock() {
		String node = "n".repeat(2000);
		assertThat(LockPaths.idOf(node)).isNull();
		assertThat(LockPaths.idOf("n:" + node)).isNull();
		assertThat(LockPaths.startOf(node + "~").name()).startsWith("nnn").hasSizeLessThanOrEqualTo(1000);
		assertThat(LockPaths.startOf("n:" + node + "~").key()).startsWith("nnn").hasSizeLessThanOrEqualTo(1000);
		assertThat(LockPaths.ofUnknown(node).name()).startsWith("nnn").hasSizeLessThanOrEqualTo(1000);
	}

	@Test
	void tellsShortenedNodesOfOneNameFromOthers() {
		String node = LockPaths.nodeOf(new LockId("orders", "k".repeat(500)));
		assertThat(LockPaths.mayBeOf(node, "orders")).isTrue();
		assertThat(LockPaths.mayBeOf(node, "order")).isFalse();
		assertThat(LockPaths.mayBeOf(node, "orders2")).isFalse();
		assertThat(LockPaths.mayBeOf(LockPaths.nodeOf(new LockId("n".repeat(500), "key")), "n".repeat(500))).isTrue();
	}

	private static String text(Random random) {
		StringBuilder text = new StringBuilder();
		int pieces = 1 + random.nextInt(4);
		for (int i = 0; i < pieces; i++) {
			text.append(PIECES.get(random.nextInt(PIECES.size())));
		}
		return text.toString().isBlank() ? "blank" + text : text.toString();
	}

	private static void assertLegal(String path) {
		PathUtils.validatePath(path);
		assertThat(path.length()).isLessThan(220);
		assertThat(path.indexOf('/', 1)).isEqualTo(path.lastIndexOf('/'));
	}

}
