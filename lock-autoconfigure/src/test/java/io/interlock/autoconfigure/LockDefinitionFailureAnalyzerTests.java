package io.interlock.autoconfigure;

import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.interceptor.LockOverrides;
import io.interlock.interceptor.RecordingLockOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link LockFailureAnalyzer.Definition}: what an application with a wrong
 * annotation says when it does not start.
 */
class LockDefinitionFailureAnalyzerTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(RecordingLockOperations.class);

	@Test
	void isRegistered() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
			}))).hasAtLeastOneElementOfType(LockFailureAnalyzer.Definition.class);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', value = {
			"EmptyName        | The name of the lock is empty.                     | Give the annotation a name",
			"UnknownProperty  | The placeholder in name '${no.such}' cannot be resolved | Define the property",
			"UnknownWait      | The placeholder in waitTime '${no.such}' cannot be resolved | Define the property",
			"UnknownKey       | The placeholder in key '${no.such}' cannot be resolved | Define the property",
			"EmptyFromProperty | The name of the lock is empty.                    | Give the annotation a name",
			"BadExpression    | The key '#id +' is not a SpEL expression           | Correct the expression",
			"UnknownParameter | The key '#order' names '#order', which is not a parameter | Use one of #id, #p0, #a0.",
			"ForgottenHash    | The key 'id' reads 'id'                            | Write a parameter as '#id'",
			"BadDuration      | In 'waitTime': The time 'soon' is not a duration. | such as '500ms' or '5s'",
			"NegativeDuration | In 'waitTime': The time '-5s' is negative. | such as '500ms' or '5s'",
			"UnitlessDuration | In 'waitTime': The time '5' has no unit. | such as '500ms' or '5s'",
			"SkippedPrimitive | 'onContention' is SKIP                              | Return Integer or an Optional",
			"FinalMethod      | A final method cannot be intercepted by a proxy.   | Remove 'final'",
			"FinalInClass     | A final method cannot be intercepted by a proxy.   | Remove 'final'",
			"StaticMethod     | A static method cannot be intercepted by a proxy.  | Remove 'static'",
			"PrivateMethod    | A private method cannot be intercepted by a proxy. | Remove 'private'",
			"FinalClass       | is final and has no interface                      | Remove 'final'",
			"RecordClass      | is final and has no interface                      | Move the method out of the record",
			"ReturnsFuture    | The work behind a Future continues                | Return the finished result",
			"ReturnsCallable  | The work behind a Callable continues              | Return the finished result",
			"ReturnsSupplier  | The work behind a Supplier continues              | Return the finished result",
			"ReturnsStream    | The work behind a Stream continues                | Return the finished result",
			"KeysOfFuture     | 'keys' asks for several locks                      | use one 'key'",
			"FallbackOfFuture | Its fallback was not found                         | Add that method to the class",
			"TwoAnnotations   | It has 2 lock annotations: @ReadLock, @WriteLock. | Keep one of them.",
			"TwoNames         | Its attributes contradict each other               | 'value' is short for 'name'" })
	void explainsWhatIsWrongAndWhatToDo(String bean, String description, String action) throws Exception {
		Class<?> type = Class.forName(getClass().getName() + "$" + bean);
		start(type, "empty.property=", (analysis) -> {
			assertThat(analysis.getDescription()).startsWith("The lock annotation on " + type.getName() + ".run(")
				.contains(description);
			assertThat(analysis.getAction()).contains(action);
		});
	}

	@Test
	void failsForMethodThatJdkProxyDoesNotShow() {
		this.contextRunner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(BehindInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining("BehindInterface.other()"));
	}

	@Test
	void keyThatCannotBeOneFailsTheCallOnly() {
		this.contextRunner.withBean(KeyOfDate.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(catchThrowable(() -> context.getBean(KeyOfDate.class).run(new Date())))
				.isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("KeyOfDate.run(Date)")
				.hasMessageContaining("A value of type java.util.Date cannot be a lock key")
				.hasMessageContaining("let its type implement LockKeyed");
		});
	}

	@Test
	void failsForOverrideThatSkipsPrimitive() {
		this.contextRunner
			.withBean(LockOverrides.class, () -> (name) -> new LockOverrides.Change(ContentionPolicy.SKIP, null, true))
			.withBean(Primitive.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining("'interlock.locks.orders.on-contention' is SKIP"));
	}

	@Test
	void failsWhenLazyBeanIsCreated() {
		this.contextRunner
			.withBean(EmptyName.class, () -> new EmptyName(), (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(catchThrowable(() -> context.getBean(EmptyName.class)))
					.hasRootCauseInstanceOf(LockDefinitionException.class);
			});
	}

	private void start(Class<?> bean, String property, Consumer<FailureAnalysis> analysis) {
		this.contextRunner.withPropertyValues(property).withBean(bean).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis found = new LockFailureAnalyzer.Definition().analyze(context.getStartupFailure());
			assertThat(found).isNotNull();
			analysis.accept(found);
		});
	}

	static class EmptyName {

		@DistributedLock
		public void run() {
		}

	}

	static class UnknownProperty {

		@DistributedLock("${no.such}")
		public void run() {
		}

	}

	static class UnknownWait {

		@DistributedLock(name = "orders", waitTime = "${no.such}")
		public void run() {
		}

	}

	static class UnknownKey {

		@DistributedLock(name = "orders", key = "${no.such}")
		public void run() {
		}

	}

	static class EmptyFromProperty {

		@DistributedLock("${empty.property}")
		public void run() {
		}

	}

	static class BadExpression {

		@DistributedLock(name = "orders", key = "#id +")
		public void run(String id) {
		}

	}

	static class UnknownParameter {

		@ReadLock(name = "orders", key = "#order")
		public void run(String id) {
		}

	}

	static class ForgottenHash {

		@WriteLock(name = "orders", key = "id")
		public void run(String id) {
		}

	}

	static class BadDuration {

		@DistributedLock(name = "orders", waitTime = "soon")
		public void run() {
		}

	}

	static class NegativeDuration {

		@DistributedLock(name = "orders", waitTime = "-5s")
		public void run() {
		}

	}

	static class UnitlessDuration {

		@DistributedLock(name = "orders", waitTime = "5")
		public void run() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public int run() {
			return 1;
		}

	}

	static class FinalMethod {

		@DistributedLock("orders")
		public final void run() {
		}

	}

	@DistributedLock("orders")
	static class FinalInClass {

		public final void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock("orders")
		public static void run() {
		}

	}

	static class PrivateMethod {

		public void open() {
			run();
		}

		@DistributedLock("orders")
		private void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock("orders")
		public void run() {
		}

	}

	record RecordClass() {

		@DistributedLock("orders")
		public void run() {
		}

	}

	static class ReturnsFuture {

		@DistributedLock("orders")
		public Future<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class ReturnsCallable {

		@DistributedLock("orders")
		public Callable<String> run() {
			return () -> "";
		}

	}

	static class ReturnsSupplier {

		@DistributedLock("orders")
		public Supplier<String> run() {
			return () -> "";
		}

	}

	static class ReturnsStream {

		@DistributedLock("orders")
		public Stream<String> run() {
			return Stream.empty();
		}

	}

	static class KeysOfFuture {

		@DistributedLock(name = "orders", keys = "#p0")
		public CompletableFuture<String> run(List<String> ids) {
			return CompletableFuture.completedFuture("");
		}

	}

	static class KeyOfDate {

		@DistributedLock(name = "orders", key = "#p0")
		public void run(Date day) {
		}

	}

	static class FallbackOfFuture {

		@DistributedLock(name = "orders", fallback = "other")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture(other());
		}

		String other() {
			return "";
		}

	}

	static class TwoAnnotations {

		@ReadLock("orders")
		@WriteLock("orders")
		public void run() {
		}

	}

	static class TwoNames {

		@ReadLock(value = "orders", name = "other")
		public void run() {
		}

	}

	static class BehindInterface implements Runnable {

		@Override
		@DistributedLock("orders")
		public void run() {
		}

		@DistributedLock
		public Optional<String> other() {
			return Optional.empty();
		}

	}

	static class Primitive {

		@DistributedLock("orders")
		public int run() {
			return 1;
		}

	}

}
