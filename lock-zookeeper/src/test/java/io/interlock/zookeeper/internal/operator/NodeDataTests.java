package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;

import io.interlock.LockId;
import io.interlock.LockOperator;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.ContenderOwner.Kind;
import io.interlock.provider.LockCaller;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NodeData}.
 */
class NodeDataTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678901234Z");

	private static final byte[] RECORD = new OwnerRecord("shop", new OwnerRecord.Details("box-office", "node-7", 4711L),
			OwnerRecord.LockData.FULL)
		.write(new LockId("orders", "42"), new LockCaller("worker-1", SINCE, "abc", false));

	@Test
	void readsWhatWasWritten() {
		assertThat(NodeData.owner(RECORD)).isEqualTo(new ContenderOwner(Kind.INTERLOCK, 1, "box-office", "shop",
				"node-7", 4711L, "worker-1", SINCE, "orders", "42", "abc", null));
	}

	/** As instances of earlier and of this version write and read it. */
	@Test
	void operatorIsReadWhicheverVersionWroteIt() {
		LockOperator alice = new LockOperator("'alice'", "The printers are down");
		String before = "{\"version\":1,\"thread\":\"operator 'alice' (reason: The printers are down)\",\"since\":\"%s\",\"name\":\"orders\"}"
			.formatted(SINCE);
		assertThat(LockOperator.of(owner(before).thread())).isEqualTo(alice);
		assertThat(write(new LockCaller("http-1", SINCE, null, false, false, alice))).isEqualTo(before);
	}

	@Test
	void threadNamedLikeAnOperatorIsNone() {
		String record = write(new LockCaller("operator 'bob'", SINCE, null, false));
		assertThat(record).contains("\"thread\":\"'operator 'bob''\"");
		assertThat(LockOperator.of(owner(record).thread())).isNull();
	}

	private static String write(LockCaller caller) {
		OwnerRecord records = new OwnerRecord("", OwnerRecord.Details.NONE, OwnerRecord.LockData.FULL);
		return new String(records.write(new LockId("orders", null), caller), StandardCharsets.US_ASCII)
			.replace("\"instance\":\"\",", "");
	}

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "10.12.130.7", "::1", "fe80::1%eth0", "2001:db8::ff00:42:8329",
			"::ffff:10.0.0.1" })
	void showsTheAddressThatPlainCuratorWrites(String address) {
		assertThat(owner(address)).isEqualTo(ContenderOwner.foreign(Kind.ADDRESS, address));
	}

	@ParameterizedTest
	@ValueSource(strings = { "worker 7", "__REVOKE__", "10.0.0", "{", "{}", "null", "12", "\"x\"", "{\"version\":1",
			"{\"version\":1} x", "{\"version\":1,}", "{\"version\":\"1\"}", "{\"version\":0}", "{\"version\":-1}",
			"{\"version\":99999999999}", "{\"version\":1.5}", "{\"version\":1,\"a\":{}}", "{\"version\":1,\"a\":[1]}",
			"{\"version\":1,\"a\":\"\\u00zz\"}", "{\"version\":1,\"a\":\"\\x\"}", "{\"version\":1,\"a\":\"",
			"{\"version\":1 \"a\":2}", "{\"version\" 1}", "{version:1}", "<script>alert(1)</script>" })
	void showsOtherTextAsItIs(String text) {
		assertThat(owner(text)).isEqualTo(ContenderOwner.foreign(Kind.TEXT, text));
	}

	@Test
	void showsNothingAsNothing() {
		assertThat(NodeData.owner(null)).isEqualTo(ContenderOwner.foreign(Kind.EMPTY, null));
		assertThat(NodeData.owner(new byte[0])).isEqualTo(ContenderOwner.foreign(Kind.EMPTY, null));
	}

	@Test
	void showsThatBytesAreNoText() {
		assertThat(NodeData.owner(new byte[] { (byte) 0xC3, 0x28 }))
			.isEqualTo(ContenderOwner.foreign(Kind.BINARY, null));
	}

	@Test
	void showsTheStartOfLongTexts() {
		assertThat(owner("{".repeat(1_000_000))).isEqualTo(ContenderOwner.foreign(Kind.TEXT, "{".repeat(200) + "..."));
	}

	@Test
	void showsOfALaterVersionWhatIsKnownAndTheRestAsItIs() {
		String text = "{\"version\":7,\"instance\":\"shop\",\"since\":\"a while\",\"pid\":\"4711\",\"mood\":\"good\"}";
		assertThat(owner(text)).isEqualTo(
				new ContenderOwner(Kind.INTERLOCK, 7, null, "shop", null, null, null, null, null, null, null, text));
	}

	@Test
	void neverFails() {
		Random random = new Random(42);
		for (int i = 0; i < 100_000; i++) {
			byte[] broken = RECORD.clone();
			for (int changes = random.nextInt(4); changes >= 0; changes--) {
				broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
			}
			assertThat(NodeData.owner(broken).kind()).isNotNull();
		}
	}

	private static ContenderOwner owner(String text) {
		return NodeData.owner(text.getBytes(StandardCharsets.UTF_8));
	}

}
