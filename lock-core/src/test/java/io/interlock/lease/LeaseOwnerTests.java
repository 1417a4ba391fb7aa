package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockOperator;
import io.interlock.admin.ContenderOwner;
import io.interlock.provider.LockCaller;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseOwner}.
 */
class LeaseOwnerTests {

	private static final Instant SINCE = Instant.parse("2026-11-27T22:05:04.123456Z");

	private static String text(String instance, String application, String thread) {
		return text(instance, application, new LockCaller(thread, SINCE, null, false));
	}

	private static String text(String instance, String application, LockOperator operator) {
		return text(instance, application, new LockCaller("http-1", SINCE, null, false, false, operator));
	}

	private static String text(String instance, String application, LockCaller caller) {
		return new LeaseOwner(new LeaseSettings(instance, application, Duration.ofSeconds(15), Duration.ofMillis(100),
				Duration.ofSeconds(5), 1, false))
			.textOf(caller);
	}

	@Test
	void defaultIdentifierTellsApplicationHostAndProcess() {
		String text = text("shop@a.example:17", "shop", "scheduling-1");
		assertThat(text).isEqualTo("shop@a.example:17|2026-11-27T22:05:04.123Z||scheduling-1");
		ContenderOwner owner = LeaseOwner.of(text);
		assertThat(owner.instance()).isEqualTo("shop@a.example:17");
		assertThat(owner.application()).isEqualTo("shop");
		assertThat(owner.host()).isEqualTo("a.example");
		assertThat(owner.pid()).isEqualTo(17);
		assertThat(owner.thread()).isEqualTo("scheduling-1");
		assertThat(owner.since()).isEqualTo(Instant.parse("2026-11-27T22:05:04.123Z"));
		assertThat(owner.summary()).isEqualTo("shop@a.example:17, thread scheduling-1");
	}

	@Test
	void identifierOfTheOperatorHidesTheHost() {
		String text = text("blue", "shop", "main");
		assertThat(text).isEqualTo("blue|2026-11-27T22:05:04.123Z|shop|main");
		ContenderOwner owner = LeaseOwner.of(text);
		assertThat(owner.instance()).isEqualTo("blue");
		assertThat(owner.application()).isEqualTo("shop");
		assertThat(owner.host()).isNull();
	}

	@Test
	void virtualThreadNeedsNoName() {
		assertThat(LeaseOwner.of(text("blue", "", "")).thread()).isNull();
		assertThat(LeaseOwner.of(text("blue", "", "")).application()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "blue", "", "|||", "a|b|c|d", "blue|2026-99-99T99:99:99Z|shop|main" })
	void otherTextsAreTheInstanceAlone(String text) {
		ContenderOwner owner = LeaseOwner.of(text);
		assertThat(owner.instance()).isEqualTo(text.isEmpty() ? null : text);
		assertThat(owner.thread()).isNull();
		assertThat(owner.since()).isNull();
	}

	@Test
	void missingTextIsNoOwner() {
		assertThat(LeaseOwner.of(null).summary()).isEqualTo("a client without a name");
	}

	@Test
	void longTextsAreCutAndTheThreadFirst() {
		String text = text("i".repeat(300), "a".repeat(300), "\ud83d\ude00".repeat(300));
		assertThat(text).hasSizeLessThanOrEqualTo(LeaseOwner.MAX_LENGTH).endsWith("...");
		ContenderOwner owner = LeaseOwner.of(text);
		assertThat(owner.instance()).startsWith("iii").endsWith("...").hasSize(90);
		assertThat(owner.application()).startsWith("aaa").endsWith("...").hasSize(90);
		assertThat(owner.thread()).startsWith("\ud83d\ude00").endsWith("...").doesNotContain("\\u");
	}

	@Test
	void textsAreOnePrintableLineWhoeverWroteThem() {
		assertThat(text("a|b\n", "c|\u001b", "d|e\u202e"))
			.isEqualTo("a/b\\u000a|2026-11-27T22:05:04.123Z|c/\\u001b|d|e\\u202e");
		ContenderOwner owner = LeaseOwner.of("a\n|2026-11-27T22:05:04Z|b\u001b|c\u2028");
		assertThat(owner.instance()).isEqualTo("a\\u000a");
		assertThat(owner.application()).isEqualTo("b\\u001b");
		assertThat(owner.thread()).isEqualTo("c\\u2028");
	}

	/** As instances of earlier and of this version write and read it. */
	@Test
	void operatorIsReadWhicheverVersionWroteIt() {
		String before = "blue|2026-11-27T22:05:04.123Z|shop|operator 'alice' (reason: The printers are down)";
		assertThat(LockOperator.of(LeaseOwner.of(before).thread()))
			.isEqualTo(new LockOperator("'alice'", "The printers are down"));
		assertThat(text("blue", "shop", new LockOperator("'alice'", "The printers are down"))).isEqualTo(before);
	}

	@Test
	void threadNamedLikeAnOperatorIsNone() {
		String text = text("blue", "shop", "operator 'bob'");
		assertThat(text).isEqualTo("blue|2026-11-27T22:05:04.123Z|shop|'operator 'bob''");
		assertThat(LockOperator.of(LeaseOwner.of(text).thread())).isNull();
	}

	@Test
	void nameAndReasonOfAnOperatorAreCutLast() {
		String thread = "operator '%s' (reason: %s)".formatted("n".repeat(30), "r".repeat(120));
		String text = text("i".repeat(300), "a".repeat(300),
				new LockOperator("'" + "n".repeat(30) + "'", "r".repeat(120)));
		assertThat(text).hasSizeLessThanOrEqualTo(LeaseOwner.MAX_LENGTH);
		assertThat(LeaseOwner.of(text).thread()).isEqualTo(thread);
		assertThat(LeaseOwner.of(text).instance()).startsWith("iii").endsWith("...");
		assertThat(text("i".repeat(300), "", new LockOperator("n".repeat(300), null)))
			.hasSizeLessThanOrEqualTo(LeaseOwner.MAX_LENGTH);
	}

}
