package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import io.interlock.LockId;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.ContenderOwner.Kind;
import io.interlock.internal.PrintableText;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerRecord} and {@link NodeData}.
 */
class OwnerRecordTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678901234Z");

	private static final ContenderOwner RECORD = record("box-office", "shop", "node-7", 4711L, "worker-1", SINCE,
			"orders", "42", "abc");

	static List<String> nastyTexts() {
		return List.of("\"", "\\", "\\u0041", "\n\r\t\u0000\u001F\u007F", "\uD83D\uDD12", "\uD83D", "</script>", "{",
				"}]", "a:b,c", "[{\"", "x".repeat(10_000), "\u0001".repeat(10_000), "\uD83D\uDD12".repeat(10_000),
				"\"".repeat(10_000));
	}

	/** Names and keys of locks have fewer characters than a record may meet elsewhere. */
	private static String ofLock(String nasty) {
		return nasty.substring(0, Math.min(nasty.length(), LockId.MAX_LENGTH - 2));
	}

	@Test
	void saysWhoHoldsWhatSinceWhen() {
		assertThat(parsed(RECORD)).containsEntry("version", 1)
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
		assertThat(parsed(record(null, "shop", null, null, "worker-1", SINCE, "orders", null, null)))
			.containsOnlyKeys("version", "instance", "thread", "since", "name");
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("nastyTexts")
	void nastyTextIsStillBriefJson(String nasty) {
		ContenderOwner record = record(nasty, nasty, nasty, Long.MIN_VALUE, nasty, Instant.MAX, ofLock(nasty) + "n",
				ofLock(nasty) + "k", nasty);
		assertThat(write(record)).hasSizeLessThan(1024).doesNotContain('\n');
		Map<String, @Nullable Object> parsed = parsed(record);
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
		Map<String, @Nullable Object> parsed = parsed(named("\u00E4".repeat(100), "short"));
		assertThat(parsed).containsEntry("name", "\u00E4".repeat(23) + "...").containsEntry("key", "short");
		assertThat(parsed(named("x" + "\uD83D\uDD12".repeat(100), null))).containsEntry("name",
				"x" + "\uD83D\uDD12".repeat(11) + "...");
	}

	@Test
	void readsWhatWasWritten() {
		assertThat(read(RECORD)).isEqualTo(RECORD);
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("nastyTexts")
	void readsNastyTexts(String nasty) {
		ContenderOwner owner = read(record(null, "shop", null, null, nasty, SINCE, ofLock(nasty) + "n", null, null));
		assertThat(owner.kind()).isEqualTo(Kind.INTERLOCK);
		if (nasty.length() < 100) {
			assertThat(owner.thread()).isEqualTo(PrintableText.of(nasty));
			assertThat(owner.name()).isEqualTo(nasty + "n");
		}
		else {
			assertThat(owner.thread()).endsWith("...");
		}
	}

	@Test
	void readsEveryShortText() {
		List<String> pieces = List.of("a", "\\", "\"", "/", "{", "}", "[", "]", ",", ":", " ", "\n", "\u0000", "u0041",
				"n", "\u00E4", "\uD83D", "\uDD12", "\u2028", "'", "null", "1");
		Random random = new Random(42);
		for (int i = 0; i < 100_000; i++) {
			StringBuilder text = new StringBuilder();
			for (int length = random.nextInt(10); length > 0; length--) {
				text.append(pieces.get(random.nextInt(pieces.size())));
			}
			ContenderOwner record = named("n" + text, "k" + text.reverse());
			assertThat(read(record)).isEqualTo(record);
		}
	}

	@Test
	void neverFails() {
		Random random = new Random(42);
		byte[] record = write(RECORD);
		for (int i = 0; i < 100_000; i++) {
			byte[] broken = record.clone();
			for (int changes = random.nextInt(4); changes >= 0; changes--) {
				broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
			}
			ContenderOwner owner = NodeData.owner(broken);
			assertThat(owner.version() == null || owner.version() > 0).isTrue();
		}
	}

	@Test
	void neverFailsOnASmallStack() throws Exception {
		List<String> deep = List.of("{\"version\":1,\"a\":\"" + "\\n".repeat(2000) + "\"}", "[".repeat(4000),
				"{\"a\":".repeat(800), "{" + "\"\":1,".repeat(680));
		Thread thread = new Thread(null,
				() -> deep.forEach((text) -> NodeData.owner(text.getBytes(StandardCharsets.UTF_8))), "small-stack",
				128 * 1024);
		StringBuilder failure = new StringBuilder();
		thread.setUncaughtExceptionHandler((failed, ex) -> failure.append(ex));
		thread.start();
		thread.join();
		assertThat(failure).isEmpty();
	}

	private static byte[] write(ContenderOwner record) {
		OwnerRecord writer = new OwnerRecord(Objects.requireNonNull(record.instance()),
				new OwnerRecord.Details(record.application(), record.host(), record.pid()), OwnerRecord.LockData.FULL);
		return writer.write(new LockId(Objects.requireNonNull(record.name()), record.key()),
				new LockCaller(Objects.requireNonNull(record.thread()), Objects.requireNonNull(record.since()),
						record.traceId(), false));
	}

	private static ContenderOwner named(String name, @Nullable String key) {
		return record(null, "shop", null, null, "worker", SINCE, name, key, null);
	}

	private static ContenderOwner record(@Nullable String application, String instance, @Nullable String host,
			@Nullable Long pid, String thread, Instant since, String name, @Nullable String key,
			@Nullable String traceId) {
		return new ContenderOwner(Kind.INTERLOCK, OwnerRecord.VERSION, application, instance, host, pid, thread, since,
				name, key, traceId, null);
	}

	private static ContenderOwner read(ContenderOwner record) {
		return NodeData.owner(write(record));
	}

	private static Map<String, @Nullable Object> parsed(ContenderOwner record) {
		return JsonParserFactory.getJsonParser().parseMap(new String(write(record), StandardCharsets.UTF_8));
	}

}
