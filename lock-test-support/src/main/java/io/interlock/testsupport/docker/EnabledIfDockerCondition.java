package io.interlock.testsupport.docker;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/**
 * Condition of {@link EnabledIfDocker}.
 */
final class EnabledIfDockerCondition implements ExecutionCondition {

	private static final String PROPERTY = "interlock.docker";

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		return evaluate(DockerClientFactory.instance().isDockerAvailable(), context.getDisplayName());
	}

	static ConditionEvaluationResult evaluate(boolean available, String test) {
		if (available) {
			return ConditionEvaluationResult.enabled("A Docker daemon answers");
		}
		String value = System.getProperty(PROPERTY, "optional");
		if (value.equals("required")) {
			throw new IllegalStateException(
					"No Docker daemon answers, but %s=required: start one, or leave the property out"
						.formatted(PROPERTY));
		}
		System.out.println("SKIPPED " + test + ": no Docker daemon answers");
		return ConditionEvaluationResult.disabled("No Docker daemon answers");
	}

}
