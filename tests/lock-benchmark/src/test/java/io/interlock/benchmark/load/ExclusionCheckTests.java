package io.interlock.benchmark.load;

import java.nio.file.Path;

import io.interlock.LockMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for all {@link ExclusionCheck ExclusionChecks}: each sees what it is there for.
 */
class ExclusionCheckTests {

	@TempDir
	private Path directory;

	@Test
	void holdersOneAfterTheOtherAreCounted() {
		PlainExclusionCheck check = new PlainExclusionCheck();
		hold(check, 1, LockMode.EXCLUSIVE);
		hold(check, 2, LockMode.EXCLUSIVE);
		assertThat(check.exclusiveHolders()).isEqualTo(2);
	}

	@Test
	void secondHolderIsSeen() {
		PlainExclusionCheck check = new PlainExclusionCheck();
		check.enter(1, LockMode.EXCLUSIVE);
		assertViolation(() -> check.enter(2, LockMode.EXCLUSIVE));
	}

	@Test
	void holderThatDidNotEndIsSeen() {
		PlainExclusionCheck check = new PlainExclusionCheck();
		check.enter(1, LockMode.EXCLUSIVE);
		assertViolation(check::exclusiveHolders);
	}

	@Test
	void readersOverlap() {
		SharedExclusionCheck check = new SharedExclusionCheck();
		check.enter(1, LockMode.SHARED);
		check.enter(2, LockMode.SHARED);
		check.exit(1, LockMode.SHARED);
		check.exit(2, LockMode.SHARED);
		hold(check, 3, LockMode.EXCLUSIVE);
		assertThat(check.exclusiveHolders()).isOne();
	}

	@Test
	void writerAmongReadersIsSeen() {
		SharedExclusionCheck check = new SharedExclusionCheck();
		check.enter(1, LockMode.SHARED);
		assertViolation(() -> check.enter(2, LockMode.EXCLUSIVE));
	}

	@Test
	void readerBesideAWriterIsSeen() {
		SharedExclusionCheck check = new SharedExclusionCheck();
		check.enter(1, LockMode.EXCLUSIVE);
		assertViolation(() -> check.enter(2, LockMode.SHARED));
	}

	@Test
	void holderThroughAnotherMappingIsSeen() {
		MappedExclusionCheck here = new MappedExclusionCheck(this.directory.resolve("words"));
		MappedExclusionCheck there = new MappedExclusionCheck(this.directory.resolve("words"));
		hold(here, 1, LockMode.EXCLUSIVE);
		assertThat(there.exclusiveHolders()).isOne();
		here.enter(1, LockMode.EXCLUSIVE);
		assertViolation(() -> there.enter(2, LockMode.EXCLUSIVE));
	}

	private static void hold(ExclusionCheck check, long holder, LockMode mode) {
		check.enter(holder, mode);
		check.exit(holder, mode);
	}

	private static void assertViolation(Runnable action) {
		assertThatExceptionOfType(ExclusionViolation.class).isThrownBy(action::run);
	}

}
