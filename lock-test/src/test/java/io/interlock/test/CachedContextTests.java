package io.interlock.test;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for tests that share an application one after the other. All do the same, so that
 * any of them would stumble over what another one left behind, whatever their order.
 */
class CachedContextTests {

	private static final Set<TestLocks> LOCKS = new HashSet<>();

	@AfterAll
	static void contextIsShared() {
		assertThat(LOCKS).hasSize(1);
		LOCKS.clear();
	}

	@SpringBootTest(classes = AutoConfigureTestLocksTests.Application.class,
			properties = "spring.application.name=cached", webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureTestLocks
	abstract static class SharesAContext {

		@Autowired
		private TestLocks locks;

		@Autowired
		private BoxOffice boxOffice;

		@BeforeEach
		void isFreshBeforeTheTestIsPrepared() {
			LOCKS.add(this.locks);
			assertThat(this.locks.history()).isEmpty();
			assertThat(this.boxOffice.settle()).isEqualTo("settled");
		}

		@AfterEach
		void historyIsThereUntilTheTestIsOver() {
			assertThat(this.locks).acquired("settlement").times(1);
		}

		@Test
		void leavesFaultsBehind() {
			leaveFaultsBehind();
		}

		@Test
		void leavesFaultsBehindAgain() {
			leaveFaultsBehind();
		}

		private void leaveFaultsBehind() {
			assertThat(this.locks).acquired("settlement").times(1).notAcquired("seats");
			this.locks.busy("settlement");
			this.locks.unavailable();
		}

	}

	@Nested
	class OneClass extends SharesAContext {

	}

	@Nested
	class AnotherClass extends SharesAContext {

	}

}
