package io.interlock.benchmark.contestant;

import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Interlock in a Spring Boot application.
 */
final class AnnotatedLocks implements Locks {

	private final ConfigurableApplicationContext context;

	private final AnnotatedMethods methods;

	AnnotatedLocks(String connectString) {
		this(connectString, Map.of());
	}

	AnnotatedLocks(String connectString, Map<String, Object> properties) {
		this.context = AnnotatedApplication.connect(connectString, properties);
		this.methods = this.context.getBean(AnnotatedMethods.class);
	}

	@Override
	public void exclusively(String key, Runnable body) {
		this.methods.exclusively(key, body);
	}

	@Override
	public void shared(String key, Runnable body) {
		this.methods.shared(key, body);
	}

	@Override
	public boolean tryExclusively(String key, Runnable body) {
		return this.methods.tryExclusively(key, body) != null;
	}

	@Override
	public void close() {
		this.context.close();
	}

}
