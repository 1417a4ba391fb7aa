package io.interlock.sample.browser;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.util.ClassUtils;

/**
 * Condition of {@link EnabledIfBrowser}.
 */
class EnabledIfBrowserCondition implements ExecutionCondition {

	private static final String PROPERTY = "interlock.browser";

	private static final String DRIVER = "com.microsoft.playwright.impl.driver.jar.DriverJar";

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		boolean driver = ClassUtils.isPresent(DRIVER, getClass().getClassLoader());
		return evaluate(Chromium.installed().isPresent(), driver, context.getDisplayName());
	}

	static ConditionEvaluationResult evaluate(boolean browser, boolean driver, String test) {
		if (browser && driver) {
			return ConditionEvaluationResult.enabled("Chromium is here, and a driver for it");
		}
		String missing = browser ? "no driver for Chromium, -D" + PROPERTY + "=required brings it"
				: "no Chromium is installed";
		if (System.getProperty(PROPERTY, "optional").equals("required")) {
			throw new IllegalStateException(
					"There is %s, but %s=required: install it, or leave the property out".formatted(missing, PROPERTY));
		}
		System.out.println("SKIPPED " + test + ": " + missing);
		return ConditionEvaluationResult.disabled(missing);
	}

}
