package io.interlock.testsupport.docker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.RemoteDockerImage;
import org.testcontainers.utility.DockerImageName;

/**
 * Condition of {@link EnabledIfDocker}.
 */
final class EnabledIfDockerCondition implements ExecutionCondition {

	private static final String PROPERTY = "interlock.docker";

	/**
	 * Without a registry, each attempt to get an image takes Testcontainers minutes.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		String image = context.getRequiredTestClass().getAnnotation(EnabledIfDocker.class).image();
		return evaluate(obstacle(() -> look(image), TIMEOUT), context.getDisplayName());
	}

	private static @Nullable String look(String image) {
		if (!DockerClientFactory.instance().isDockerAvailable()) {
			return "no Docker daemon answers";
		}
		new RemoteDockerImage(DockerImageName.parse(image)).get();
		return null;
	}

	/**
	 * Return what is in the way of a test. A look that takes too long is left to itself.
	 * @param look answers with the obstacle, or {@code null} if there is none
	 * @param timeout how long to wait for the answer
	 */
	static @Nullable String obstacle(Supplier<@Nullable String> look, Duration timeout) {
		CompletableFuture<@Nullable String> answer = CompletableFuture.supplyAsync(look,
				EnabledIfDockerCondition::onDaemonThread);
		try {
			return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			return "Docker did not provide the image within " + timeout;
		}
		catch (ExecutionException ex) {
			return "Docker cannot provide the image: " + ex.getCause();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return "interrupted";
		}
	}

	private static void onDaemonThread(Runnable look) {
		Thread thread = new Thread(look, "docker-look");
		thread.setDaemon(true);
		thread.start();
	}

	static ConditionEvaluationResult evaluate(@Nullable String obstacle, String test) {
		if (obstacle == null) {
			return ConditionEvaluationResult.enabled("Docker provides the image");
		}
		String value = System.getProperty(PROPERTY, "optional");
		if (value.equals("required")) {
			throw new IllegalStateException(
					"%s=required, but %s: start a daemon and pull the image, or leave the property out"
						.formatted(PROPERTY, obstacle));
		}
		System.out.println("SKIPPED " + test + ": " + obstacle);
		return ConditionEvaluationResult.disabled(obstacle);
	}

}
