package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockInspector;
import io.interlock.internal.PrintableText;
import io.interlock.provider.RunRecords.Run;
import io.interlock.template.HeldLocks;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Feeds every parser of what other clients write with valid texts that were broken at
 * random. The seed is fixed, so that a failure repeats. The deep tier makes 1,000,000
 * inputs for each parser.
 */
class ParserFuzzTests {

	private static final int INPUTS = Integer.getInteger("fuzz.inputs", 20_000);

	private static final List<String> SEEDS = List.of("_c_2c5b4e8e-6e0b-4c5c-9d0e-1b1a7c3f7a55-lock-0000000042",
			"x__WRIT__2147483647", "kept-exclusive-7-1700000000000", "kept-shared-999999999999999999-1700000000000",
			"kept-permit-12-99-999999999999999999", "__READ__-2147483648", "permit-12-0000000001",
			"0d1c__rlock__0000000003", "orders:42", "a%3Ab:%F0%9F%94%92", "orders:~0123456789abcdef", "%uD83D",
			"%2E:%2E.",
			"{\"version\":1,\"application\":\"shop\",\"instance\":\"shop@host:1\",\"host\":\"host\",\"pid\":1,"
					+ "\"thread\":\"main\",\"since\":\"2026-01-02T03:04:05Z\",\"name\":\"orders\",\"key\":\"42\"}",
			"{\"version\":1,\"uuid\":\"u\",\"lock\":\"orders:42\",\"token\":7,\"handoff\":3,"
					+ "\"requestedBy\":\"alice\",\"requestedAt\":\"2026-01-02T03:04:05Z\"}",
			"2026-01-02T03:04:05Z\nPT1.5S\nsuccess\n2026-01-02T03:04:05Z\nshop@host:1\n42", "{}", "null", "192.0.2.1",
			" ", "::1", "\\u000a\\ud800\\\"");

	private static final String SPECIAL = "{}[]\":,\\/%~.-_0123456789eE+uU\n\r\t\0\u0085\u2028\u2029\u202e\u2066\ud800\udc00\ufffe ";

	@Test
	void namesOfNodes() {
		fuzz("names of nodes", (text, random) -> {
			NodeName contender = NodeName.parse(text);
			assertOneLine(PrintableText.of(text));
			if (contender != null) {
				assertThat(contender.name()).isSameAs(text);
				assertThat(contender.permits()).isPositive();
				contender.marker();
			}
		});
	}

	@Test
	void namesOfNodesThatKeepLocks() {
		fuzz("names of nodes that keep locks", (text, random) -> {
			MinHoldNode kept = MinHoldNode.parse(text);
			if (kept != null) {
				long time = random.nextLong() >>> 1;
				assertThat(kept.name()).isSameAs(text);
				assertThat(kept.permits()).isPositive();
				assertThat(kept.token()).isNotNegative();
				assertThat(kept.keepsAt(time) && kept.isTooFarAheadAt(time)).isFalse();
				Instant.ofEpochMilli(kept.end());
			}
		});
	}

	@Test
	void recordsOfRuns() {
		fuzz("records of runs", (text, random) -> {
			Run run = Run.parse("report", text);
			if (run != null) {
				assertThat(Run.parse("report", run.toText())).isEqualTo(run);
			}
		});
	}

	@Test
	void namesOfLocks() {
		fuzz("names of locks", (text, random) -> {
			if (!text.isEmpty()) {
				assertOneLine(LockPaths.ofUnknown(text).toString());
			}
			LockId id = LockPaths.idOf(text);
			if (id != null) {
				assertThat(LockPaths.nodeOf(id)).isEqualTo(text);
				assertOneLine(id.toString());
			}
			if (LockPaths.isShortened(text)) {
				assertOneLine(LockPaths.startOf(text).toString());
			}
			LockPaths.mayBeOf(text, "orders");
		});
	}

	@Test
	void sequenceNumbers() {
		fuzz("sequence numbers", (text, random) -> {
			List<String> names = IntStream.range(0, random.nextInt(6))
				.mapToObj((i) -> "_c_" + i + "-lock-" + sequence(random))
				.toList();
			List<NodeName> contenders = NodeName.parseAll(names);
			Map<String, Long> created = new HashMap<>();
			contenders.forEach((contender) -> created.put(contender.name(), random.nextLong()));
			assertThat(NodeName.inOrder(contenders, created)).hasSameSizeAs(contenders);
		});
	}

	private static String sequence(Random random) {
		return switch (random.nextInt(4)) {
			case 0 -> "%010d".formatted(random.nextInt());
			case 1 -> "%010d".formatted(Integer.MAX_VALUE - random.nextInt(3));
			case 2 -> "%010d".formatted(random.nextLong());
			default -> "%010d".formatted(random.nextInt(1000));
		};
	}

	@Test
	void recordsOfOwners() {
		fuzz("records of owners", (text, random) -> {
			byte[] data = bytes(text, random);
			ContenderOwner owner = NodeData.owner(data);
			assertThat(owner.kind()).isNotNull();
			assertOneLine(PrintableText.of(owner.toString()));
			OwnerRecord.parse(text);
		});
	}

	@Test
	void recordsOfRevocations() {
		fuzz("records of revocations", (text, random) -> {
			for (RevocationBoard.Line record : RevocationBoard.Line.parse(bytes(text, random))) {
				assertOneLine(record.request().requestedBy());
				assertThat(RevocationBoard.Line.write(List.of(record)).length)
					.isLessThanOrEqualTo(RevocationBoard.Line.MAX_LENGTH);
			}
		});
	}

	@Test
	void parametersOfTheEndpoint() {
		HeldLocks locks = new HeldLocks();
		LocksEndpoint endpoint = new LocksEndpoint(locks, List::of, Map::of, () -> null, List::of);
		LocksEndpointWebExtension cluster = new LocksEndpointWebExtension(endpoint,
				(provider) -> (query) -> new LockInspector.Page("/interlock", Instant.EPOCH, 0, query.offset(),
						query.limit(), query.queueLimit(), List.of()));
		List<Integer> refused = new ArrayList<>(List.of(0));
		fuzz("parameters of the endpoint", (text, random) -> {
			Integer number = random.nextBoolean() ? null : random.nextInt() >> random.nextInt(32);
			String name = random.nextInt(5) == 0 ? null : text;
			String key = random.nextBoolean() ? null : text;
			try {
				endpoint.locks(name, random.nextBoolean(), number);
				String digits = (number != null && random.nextBoolean()) ? number.toString() : text;
				if (cluster
					.locks(random.nextBoolean() ? "cluster" : text, name, key, null, random.nextBoolean() ? null : text,
							digits, digits, digits)
					.getStatus() == 400) {
					refused.set(0, refused.get(0) + 1);
				}
			}
			catch (InvalidEndpointRequestException ex) {
				refused.set(0, refused.get(0) + 1);
			}
		});
		assertThat(refused.get(0)).isBetween(1, INPUTS - 1);
	}

	private static void fuzz(String parser, BiConsumer<String, Random> check) {
		Random random = new Random(42);
		for (int i = 0; i < INPUTS; i++) {
			String text = input(random);
			try {
				check.accept(text, random);
			}
			catch (RuntimeException | Error ex) {
				throw new AssertionError("Input %d of %s: %s".formatted(i, parser, PrintableText.of(text)), ex);
			}
		}
		System.out.printf("Fuzzed %s: %,d inputs, 0 exceptions, 0 forged lines%n", parser, INPUTS);
	}

	private static String input(Random random) {
		StringBuilder text = new StringBuilder(SEEDS.get(random.nextInt(SEEDS.size())));
		for (int changes = random.nextInt(6); changes > 0; changes--) {
			int at = random.nextInt(text.length() + 1);
			switch (random.nextInt(5)) {
				case 0 -> text.insert(at, character(random));
				case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(4)));
				case 2 -> text.insert(at, SEEDS.get(random.nextInt(SEEDS.size())));
				case 3 -> text.insert(at, String.valueOf(character(random)).repeat(random.nextInt(300)));
				default -> text.insert(at, random.nextLong());
			}
		}
		return text.toString();
	}

	private static char character(Random random) {
		return random.nextBoolean() ? SPECIAL.charAt(random.nextInt(SPECIAL.length()))
				: (char) random.nextInt(Character.MAX_VALUE + 1);
	}

	private static byte[] bytes(String text, Random random) {
		byte[] data = text.getBytes(StandardCharsets.UTF_8);
		if (data.length > 0 && random.nextInt(4) == 0) {
			data[random.nextInt(data.length)] = (byte) random.nextInt();
		}
		return data;
	}

	private static void assertOneLine(String text) {
		if (text.codePoints()
			.anyMatch((point) -> point < ' ' || (point >= 0x7f && point <= 0x9f) || point == 0x2028 || point == 0x2029
					|| (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069))) {
			throw new AssertionError("A line can be forged: " + PrintableText.of(text));
		}
	}

}
