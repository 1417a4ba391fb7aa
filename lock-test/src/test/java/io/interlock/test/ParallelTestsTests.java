package io.interlock.test;

import java.lang.reflect.Method;

import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for tests that share an application at the same time, and use different keys.
 */
@Timeout(60)
class ParallelTestsTests {

	private final Shared instance = new Shared();

	private final TestContextManager tests = new TestContextManager(Shared.class);

	private final ApplicationContext context = this.tests.getTestContext().getApplicationContext();

	private final TestLocks locks = this.context.getBean(TestLocks.class);

	private final BoxOffice boxOffice = this.context.getBean(BoxOffice.class);

	@Test
	void endOfATestLeavesTheOthersAlone() throws Exception {
		begin();
		this.locks.busy("seats", 1);
		assertThat(this.boxOffice.settle()).isEqualTo("settled");
		Background.call(() -> {
			begin();
			this.locks.busy("seats", 2);
			end();
			return true;
		});
		assertThat(this.locks).acquired("settlement");
		assertThat(isBusy(1)).isTrue();
		assertThat(isBusy(2)).isFalse();
		end();
		assertThat(isBusy(1)).isFalse();
	}

	@Test
	void lastTestThatEndsResetsTheLocks() throws Exception {
		begin();
		Background.call(() -> {
			begin();
			assertThat(this.boxOffice.settle()).isEqualTo("settled");
			end();
			return true;
		});
		assertThat(this.locks).acquired("settlement");
		end();
		assertThat(this.locks.history()).isEmpty();
	}

	private void begin() throws Exception {
		this.tests.prepareTestInstance(this.instance);
		this.tests.beforeTestMethod(this.instance, testMethod());
	}

	private void end() throws Exception {
		this.tests.afterTestMethod(this.instance, testMethod(), null);
	}

	private boolean isBusy(int seat) {
		return this.locks.provider()
			.grants()
			.stream()
			.anyMatch((grant) -> Integer.toString(seat).equals(grant.request().id().key()));
	}

	private static Method testMethod() throws NoSuchMethodException {
		return Shared.class.getDeclaredMethod("test");
	}

	@SpringBootTest(classes = AutoConfigureTestLocksTests.Application.class,
			properties = "spring.application.name=parallel", webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureTestLocks
	static class Shared {

		void test() {
		}

	}

}
