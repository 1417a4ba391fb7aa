package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IdleParents}.
 */
class IdleParentsTests {

	private static final long IDLE = Duration.ofSeconds(10).toNanos();

	private final IdleParents parents = new IdleParents(Duration.ofNanos(IDLE), 2, 3, System::nanoTime);

	@Test
	void pathIsDueWhenItWasIdleForLongEnough() {
		useOnce("/a", 0);
		assertThat(this.parents.pollDue(IDLE - 1)).isNull();
		assertThat(this.parents.pollDue(IDLE)).isEqualTo("/a");
		assertThat(this.parents.isEmpty()).isTrue();
	}

	@Test
	void pathInUseIsNeverDue() {
		this.parents.use("/a");
		assertThat(this.parents.pollDue(10 * IDLE)).isNull();
		assertThat(this.parents.isUsed("/a")).isTrue();
	}

	@Test
	void pathIsInUseUntilItsLastUseEnds() {
		this.parents.use("/a");
		useOnce("/a", 0);
		assertThat(this.parents.pollDue(IDLE)).isNull();
		this.parents.end("/a", IDLE);
		assertThat(this.parents.isUsed("/a")).isFalse();
		assertThat(this.parents.pollDue(2 * IDLE)).isEqualTo("/a");
	}

	@Test
	void useTakesAPathOut() {
		useOnce("/a", 0);
		this.parents.use("/a");
		assertThat(this.parents.pollDue(IDLE)).isNull();
	}

	@Test
	void useRenewsAPath() {
		useOnce("/a", 0);
		useOnce("/b", 1);
		useOnce("/a", 2);
		assertThat(this.parents.pollDue(IDLE + 1)).isEqualTo("/b");
		assertThat(this.parents.pollDue(IDLE + 1)).isNull();
		assertThat(this.parents.pollDue(IDLE + 2)).isEqualTo("/a");
	}

	@Test
	void oldestIsDueEarlyWhenThereAreMoreThanAreKept() {
		this.parents.use("/c");
		useOnce("/a", 0);
		useOnce("/b", 1);
		assertThat(this.parents.pollDue(2)).isNull();
		assertThat(this.parents.end("/c", 2)).isTrue();
		assertThat(this.parents.pollDue(2)).isEqualTo("/a");
		assertThat(this.parents.pollDue(2)).isNull();
	}

	@Test
	void oldestIsForgottenWhenNobodyTakesIt() {
		useOnce("/a", 0);
		useOnce("/b", 0);
		useOnce("/c", 0);
		useOnce("/d", 0);
		assertThat(this.parents.size()).isEqualTo(3);
		assertThat(this.parents.pollDue(IDLE)).isEqualTo("/b");
	}

	@Test
	void pathThatIsPutBackIsIdleFromThenOn() {
		this.parents.putBack("/a", IDLE);
		assertThat(this.parents.pollDue(IDLE)).isNull();
		assertThat(this.parents.pollDue(2 * IDLE)).isEqualTo("/a");
	}

	@Test
	void pathInUseIsNotPutBack() {
		this.parents.use("/a");
		this.parents.putBack("/a", 0);
		assertThat(this.parents.pollDue(IDLE)).isNull();
		assertThat(this.parents.size()).isEqualTo(1);
	}

	private void useOnce(String path, long now) {
		this.parents.use(path);
		this.parents.end(path, now);
	}

}
