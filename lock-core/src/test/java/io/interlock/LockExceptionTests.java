package io.interlock;

import java.time.Duration;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockException} and its subclasses.
 */
class LockExceptionTests {

	private static final LockId ID = new LockId("orders", "42");

	private static final Duration WAITED = Duration.ofMillis(250);

	private static final Throwable CAUSE = new IllegalStateException("down");

	@ParameterizedTest
	@MethodSource("constructors")
	void carriesTheLockTheWaitAndTheCause(Constructor constructor) {
		LockException exception = constructor.create("what happened", ID, WAITED, CAUSE);
		assertThat(exception).hasMessage("what happened").hasCause(CAUSE);
		assertThat(exception.lockId()).isEqualTo(ID);
		assertThat(exception.waited()).isEqualTo(WAITED);
	}

	static Stream<Constructor> constructors() {
		return Stream.of(LockException::new, LockServiceUnavailableException::new, LockInterruptedException::new,
				LockLostException::new, LockUpgradeException::new);
	}

	@Test
	void notAcquiredCarriesTheHolder() {
		LockNotAcquiredException exception = new LockNotAcquiredException("held", ID, WAITED, "thread 'a'");
		assertThat(exception.holder()).contains("thread 'a'");
		assertThat(exception.lockId()).isEqualTo(ID);
		assertThat(exception.waited()).isEqualTo(WAITED);
	}

	@Test
	void notAcquiredMayNotKnowTheHolder() {
		assertThat(new LockNotAcquiredException("held", ID, WAITED, null).holder()).isEmpty();
	}

	@Test
	void noneIsCaughtByAHandlerOfAnother() {
		assertThat(Stream.of(LockNotAcquiredException.class, LockServiceUnavailableException.class,
				LockInterruptedException.class, LockLostException.class, LockUpgradeException.class))
			.allSatisfy((type) -> assertThat(type.getSuperclass()).isEqualTo(LockException.class));
	}

	interface Constructor {

		LockException create(String message, LockId id, Duration waited, @Nullable Throwable cause);

	}

}
