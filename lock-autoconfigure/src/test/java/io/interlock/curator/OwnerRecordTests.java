package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;

import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.admin.NodeOwner;
import io.interlock.admin.NodeOwner.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnerRecord} and {@link FlatJson}.
 */
class OwnerRecordTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05.678901234Z");

	private static final InstanceDetails DETAILS = new InstanceDetails("box-office", "node-7", 4711L);

	@Test
	void readsWhatWasWritten() {
		byte[] data = LockNodeData.of(new LockId("orders", "42"), new LockOwner("worker-1", SINCE, "abc"), "shop",
				DETAILS);
		assertThat(OwnerRecord.parse(data)).isEqualTo(new NodeOwner(Kind.INTERLOCK, 1, "box-office", "shop", "node-7",
				4711L, "worker-1", SINCE, "orders", "42", "abc", null));
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("io.interlock.curator.LockNodeDataTests#nastyTexts")
	void readsNastyTexts(String nasty) {
		byte[] data = LockNodeData.of(new LockId(nasty + "n", null), new LockOwner(nasty, SINCE, null), "shop",
				InstanceDetails.NONE);
		NodeOwner owner = OwnerRecord.parse(data);
		assertThat(owner.kind()).isEqualTo(Kind.INTERLOCK);
		if (nasty.length() < 100) {
			assertThat(owner.thread()).isEqualTo(nasty);
			assertThat(owner.name()).isEqualTo(nasty + "n");
		}
		else {
			assertThat(owner.thread()).endsWith("...");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "10.12.130.7", "::1", "fe80::1%eth0", "2001:db8::ff00:42:8329",
			"::ffff:10.0.0.1" })
	void showsTheAddressThatPlainCuratorWrites(String address) {
		assertThat(parse(address)).isEqualTo(NodeOwner.foreign(Kind.ADDRESS, address));
	}

	@ParameterizedTest
	@ValueSource(strings = { "worker 7", "__REVOKE__", "10.0.0", "{", "{}", "null", "12", "\"x\"", "{\"version\":1",
			"{\"version\":1} x", "{\"version\":1,}", "{\"version\":\"1\"}", "{\"version\":0}", "{\"version\":-1}",
			"{\"version\":99999999999}", "{\"version\":1.5}", "{\"version\":1,\"a\":{}}", "{\"version\":1,\"a\":[1]}",
			"{\"version\":1,\"a\":\"\\u00zz\"}", "{\"version\":1,\"a\":\"\\x\"}", "{\"version\":1,\"a\":\"",
			"{\"version\":1 \"a\":2}", "{\"version\" 1}", "{version:1}", "<script>alert(1)</script>" })
	void showsOtherTextAsItIs(String text) {
		assertThat(parse(text)).isEqualTo(NodeOwner.foreign(Kind.TEXT, text));
	}

	@Test
	void showsNothingAsNothing() {
		assertThat(OwnerRecord.parse(null)).isEqualTo(NodeOwner.foreign(Kind.EMPTY, null));
		assertThat(OwnerRecord.parse(new byte[0])).isEqualTo(NodeOwner.foreign(Kind.EMPTY, null));
	}

	@Test
	void showsThatBytesAreNoText() {
		assertThat(OwnerRecord.parse(new byte[] { (byte) 0xC3, 0x28 })).isEqualTo(NodeOwner.foreign(Kind.BINARY, null));
	}

	@Test
	void showsTheStartOfLongTexts() {
		assertThat(parse("{".repeat(1_000_000)))
			.isEqualTo(NodeOwner.foreign(Kind.TEXT, "{".repeat(200) + FlatJsonWriter.CUT));
	}

	@Test
	void showsOfALaterVersionWhatIsKnownAndTheRestAsItIs() {
		String text = "{\"version\":7,\"instance\":\"shop\",\"since\":\"a while\",\"pid\":\"4711\",\"mood\":\"good\"}";
		assertThat(parse(text))
			.isEqualTo(new NodeOwner(Kind.INTERLOCK, 7, null, "shop", null, null, null, null, null, null, null, text));
	}

	@Test
	void neverFails() {
		Random random = new Random(42);
		byte[] record = LockNodeData.of(new LockId("orders", "42"), new LockOwner("worker-1", SINCE, "abc"), "shop",
				DETAILS);
		for (int i = 0; i < 100_000; i++) {
			byte[] broken = record.clone();
			for (int changes = random.nextInt(4); changes >= 0; changes--) {
				broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
			}
			assertThat(OwnerRecord.parse(broken).kind()).isNotNull();
		}
	}

	private static NodeOwner parse(String text) {
		return OwnerRecord.parse(text.getBytes(StandardCharsets.UTF_8));
	}

}
