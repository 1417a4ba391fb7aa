package io.interlock.testsupport.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link FailureOutput}.
 */
class FailureOutputTests {

	private final ByteArrayOutputStream console = new ByteArrayOutputStream();

	private final RecordedOutput output = new RecordedOutput(new PrintStream(this.console));

	private final PrintStream printer = new PrintStream(this.output, true);

	private final FailureOutput extension = new FailureOutput(this.output);

	@Test
	void failureShowsWhatTheTestHasPrinted() {
		this.printer.println("of the test before");
		this.extension.beforeEach(mock(ExtensionContext.class));
		AssertionError failure = new AssertionError("expected: 1");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> run(() -> {
			this.printer.println("WARN of this test");
			throw failure;
		}))
			.withCause(failure)
			.withMessageContaining("expected: 1")
			.withMessageContaining("Printed by the test:")
			.withMessageEndingWith("WARN of this test")
			.satisfies((shown) -> assertThat(shown.getStackTrace()).isEqualTo(failure.getStackTrace()))
			.satisfies((shown) -> assertThat(shown).message().doesNotContain("of the test before"));
	}

	@Test
	void errorStaysAnError() {
		assertThatThrownBy(() -> run(() -> {
			this.printer.println("printed");
			throw new IOException("disk");
		})).isNotInstanceOf(AssertionError.class)
			.hasMessageContaining("java.io.IOException: disk")
			.hasMessageEndingWith("printed");
	}

	@Test
	void failureOfATestThatPrintsNothingIsLeftAlone() {
		AssertionError failure = new AssertionError("expected: 1");
		assertThatThrownBy(() -> run(() -> {
			throw failure;
		})).isSameAs(failure);
	}

	@Test
	void skippedTestIsLeftAlone() {
		TestAbortedException skipped = new TestAbortedException("no server");
		assertThatThrownBy(() -> run(() -> {
			this.printer.println("printed");
			throw skipped;
		})).isSameAs(skipped);
	}

	@Test
	void everythingIsPassedOn() throws Throwable {
		run(() -> {
			this.printer.println("passed on");
			return null;
		});
		assertThat(this.console).hasToString("passed on" + System.lineSeparator());
	}

	@Test
	void longOutputIsCut() {
		for (int i = 0; i < 10_000; i++) {
			this.printer.println("line " + i);
		}
		assertThat(this.output.text()).hasSizeLessThan(64 * 1024).endsWith("line 9999");
	}

	@Test
	@SuppressWarnings("resource")
	void outputOfThisJvmIsRecorded() {
		String text = "printed by " + getClass().getName();
		System.out.println(text);
		assertThatThrownBy(() -> new FailureOutput().interceptTestMethod(() -> {
			throw new AssertionError("expected: 1");
		}, mock(), mock(ExtensionContext.class))).hasMessageContaining(text);
	}

	private void run(Invocation<Void> test) throws Throwable {
		ReflectiveInvocationContext<java.lang.reflect.Method> method = mock();
		this.extension.interceptTestMethod(test, method, mock(ExtensionContext.class));
	}

}
