package io.interlock.internal;

import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the keys of the rows of locks.
 */
class LockHashTests {

	@Test
	void differentLocksHaveDifferentIdentifiersOfOneLength() {
		List<LockId> locks = List.of(new LockId("a", null), new LockId("a", "b"), new LockId("ab", null),
				new LockId("a\0b", null), new LockId("a\0b", "c"), new LockId("a", "b\0c"), new LockId("a", "\0b"),
				new LockId("a\0", "b"), new LockId("a", "\uD83D"), new LockId("a", "\uDD12"), new LockId("a", "?"),
				new LockId("a", "\uFFFD"), new LockId("a", "\uD83D\uDD12"), new LockId("a", "B"), new LockId("a", "b "),
				new LockId("x".repeat(1000), "y".repeat(1000)));
		Stream<String> identifiers = locks.stream().map((id) -> LockHash.of("", id.name(), id.key()));
		assertThat(identifiers).doesNotHaveDuplicates().allMatch((id) -> id.length() == 64);
	}

	@Test
	void scopeIsNeverReadAsAName() {
		assertThat(LockHash.of("a", "b", null)).isNotEqualTo(LockHash.of("", "a", "b"))
			.isNotEqualTo(LockHash.of("", "ab", null))
			.isNotEqualTo(LockHash.of("ab", "", null));
	}

}
