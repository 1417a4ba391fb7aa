package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.interlock.LockId;
import io.interlock.LockOwner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNodeData}.
 */
class LockNodeDataTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678901234Z");

	private static final InstanceDetails DETAILS = new InstanceDetails("box-office", "node-7", 4711L);

	static List<String> nastyTexts() {
		return List.of("\"", "\\", "\\u0041", "\n\r\t\u0000\u001F\u007F", "\uD83D\uDD12", "\uD83D", "</script>",
				"x".repeat(10_000), "\u0001".repeat(10_000), "\uD83D\uDD12".repeat(10_000), "\"".repeat(10_000));
	}

	@Test
	void saysWhoHoldsWhatSinceWhen() {
		assertThat(parsed(
				LockNodeData.of(new LockId("orders", "42"), new LockOwner("worker-1", SINCE, "abc"), "shop", DETAILS)))
			.containsEntry("version", 1)
			.containsEntry("application", "box-office")
			.containsEntry("instance", "shop")
			.containsEntry("host", "node-7")
			.containsEntry("pid", 4711)
			.containsEntry("thread", "worker-1")
			.containsEntry("since", SINCE.toString())
			.containsEntry("name", "orders")
			.containsEntry("key", "42")
			.containsEntry("traceId", "abc");
	}

	@Test
	void leavesOutWhatIsNotThere() {
		assertThat(parsed(LockNodeData.of(new LockId("orders", null), new LockOwner("worker-1", SINCE, null), "shop",
				InstanceDetails.NONE)))
			.containsOnlyKeys("version", "instance", "thread", "since", "name");
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("nastyTexts")
	void nastyTextIsStillBriefJson(String nasty) {
		byte[] data = LockNodeData.of(new LockId(nasty + "n", nasty + "k"), new LockOwner(nasty, Instant.MAX, nasty),
				nasty, new InstanceDetails(nasty, nasty, Long.MIN_VALUE));
		assertThat(data).hasSizeLessThan(1024);
		Map<String, @Nullable Object> parsed = parsed(data);
		assertThat(parsed).hasSize(10);
		if (nasty.length() < 100) {
			assertThat(parsed).containsEntry("thread", nasty);
		}
		else {
			assertThat(parsed.get("thread")).asString().endsWith("...");
		}
	}

	@Test
	void cutsLongTextsBetweenCharacters() {
		byte[] data = LockNodeData.of(new LockId("\u00E4".repeat(100), "short"), new LockOwner("worker", SINCE, null),
				"shop", DETAILS);
		assertThat(parsed(data)).containsEntry("name", "\u00E4".repeat(23) + "...").containsEntry("key", "short");
	}

	private static Map<String, @Nullable Object> parsed(byte[] data) {
		return JsonParserFactory.getJsonParser().parseMap(new String(data, StandardCharsets.UTF_8));
	}

}
