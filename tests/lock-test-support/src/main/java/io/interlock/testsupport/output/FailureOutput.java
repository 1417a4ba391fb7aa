package io.interlock.testsupport.output;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.IncompleteExecutionException;

/**
 * Shows what a test has printed in the message of its failure, so that the console needs
 * nothing of the tests that pass. Registered for all tests. The tests of a JVM run one
 * after the other, so what is printed belongs to the one that runs.
 *
 * @since 0.1.0
 */
public final class FailureOutput implements BeforeEachCallback, InvocationInterceptor {

	private static final RecordedOutput OUTPUT = RecordedOutput.ofThisJvm();

	private final RecordedOutput output;

	/**
	 * Create the extension for the output of this JVM.
	 */
	public FailureOutput() {
		this(OUTPUT);
	}

	FailureOutput(RecordedOutput output) {
		this.output = output;
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.output.forget();
	}

	@Override
	public void interceptBeforeAllMethod(Invocation<@Nullable Void> invocation,
			ReflectiveInvocationContext<Method> method, ExtensionContext context) throws Throwable {
		proceed(invocation);
	}

	@Override
	public void interceptBeforeEachMethod(Invocation<@Nullable Void> invocation,
			ReflectiveInvocationContext<Method> method, ExtensionContext context) throws Throwable {
		proceed(invocation);
	}

	@Override
	public void interceptTestMethod(Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method,
			ExtensionContext context) throws Throwable {
		proceed(invocation);
	}

	@Override
	public void interceptTestTemplateMethod(Invocation<@Nullable Void> invocation,
			ReflectiveInvocationContext<Method> method, ExtensionContext context) throws Throwable {
		proceed(invocation);
	}

	@Override
	public void interceptAfterEachMethod(Invocation<@Nullable Void> invocation,
			ReflectiveInvocationContext<Method> method, ExtensionContext context) throws Throwable {
		proceed(invocation);
	}

	private void proceed(Invocation<@Nullable Void> invocation) throws Throwable {
		try {
			invocation.proceed();
		}
		catch (IncompleteExecutionException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw withOutput(ex);
		}
	}

	private Throwable withOutput(Throwable failure) {
		String text = this.output.text();
		if (text.isEmpty()) {
			return failure;
		}
		this.output.forget();
		String message = "%s%nPrinted by the test:%n%s".formatted(failure, text);
		Throwable shown = (failure instanceof AssertionError) ? new AssertionError(message, failure)
				: new IllegalStateException(message, failure);
		shown.setStackTrace(failure.getStackTrace());
		return shown;
	}

}
