package io.interlock.autoconfigure;

import java.util.Map;
import java.util.Optional;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * What an application does instead of setting a property that builds before 0.1.0 had.
 */
final class RemovedProperties {

	private static final String HANDLER = "Handle the exception in an @ExceptionHandler of the application";

	private static final String RETRIES = "Declare a RetryPolicy bean";

	private static final Map<String, String> INSTEAD = Map.ofEntries(Map.entry("web.not-acquired-status", HANDLER),
			Map.entry("web.unavailable-status", HANDLER), Map.entry("web.interrupted-status", HANDLER),
			Map.entry("web.lost-status", HANDLER), Map.entry("web.stale-status", HANDLER),
			Map.entry("zookeeper.retry.initial-delay", RETRIES), Map.entry("zookeeper.retry.max-delay", RETRIES),
			Map.entry("zookeeper.retry.max-retries", RETRIES),
			Map.entry("queue.max-handoffs", "Set interlock.queue.max-tenure"),
			Map.entry("observations.metrics", "Use the meters interlock.acquire and interlock.hold"),
			Map.entry("events.enabled", "Declare an EventPublishingLockListener bean that publishes nothing"));

	private RemovedProperties() {
	}

	/** Return a sentence without its period, if there was such a property. */
	static Optional<String> instead(ConfigurationPropertyName name) {
		return INSTEAD.entrySet()
			.stream()
			.filter((removed) -> KnownProperties.ROOT.append(removed.getKey()).equals(name))
			.map(Map.Entry::getValue)
			.findFirst();
	}

}
