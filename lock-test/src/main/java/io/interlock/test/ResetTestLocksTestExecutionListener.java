package io.interlock.test;

import java.util.stream.Stream;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Resets {@link TestLocks} before each test method, because an application goes on
 * between two tests that share it, and after it.
 */
final class ResetTestLocksTestExecutionListener implements TestExecutionListener, Ordered {

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE - 100;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		locks(testContext).forEach(TestLocks::beginTest);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		locks(testContext).forEach(TestLocks::endTest);
	}

	private static Stream<TestLocks> locks(TestContext testContext) {
		return testContext.hasApplicationContext()
				? testContext.getApplicationContext().getBeanProvider(TestLocks.class).stream() : Stream.empty();
	}

}
