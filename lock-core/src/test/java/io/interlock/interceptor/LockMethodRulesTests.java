package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LossPolicy;
import io.interlock.annotation.ContentionPolicy;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockMethodRules}.
 */
class LockMethodRulesTests {

	@ParameterizedTest
	@CsvSource({ "hidden,private", "utility,static", "sealed,final" })
	void refusesWhatNoProxySees(String name, String modifier) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(Methods.class, name))
			.withMessageContaining("Methods." + name + "()")
			.withMessageContaining("A %s method cannot be intercepted", modifier)
			.withMessageContaining("Remove '%s'", modifier);
	}

	@ParameterizedTest
	@ValueSource(strings = { "open", "guarded", "packagePrivate", "text", "optional", "nothing" })
	void allowsTheOthers(String name) {
		assertThatCode(() -> check(Methods.class, name)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "future", "flow", "stream", "ints", "callable", "supplier", "iterator", "deferredResult",
			"sseEmitter", "responseBodyEmitter", "streamingResponseBody" })
	void refusesWhatRunsAfterRelease(String name) {
		Method method = method(Deferred.class, name);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(Deferred.class, name))
			.withMessageContaining("Deferred." + name + "()")
			.withMessageContaining("The work behind a %s continues after the lock is released",
					method.getReturnType().getSimpleName());
	}

	@ParameterizedTest
	@ValueSource(strings = { "completableFuture", "stage", "mono", "flux", "asyncFuture", "asyncCompletableFuture" })
	void allowsWhatSaysWhenItIsDone(String name) {
		assertThatCode(() -> check(Deferred.class, name)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@CsvSource({ "entityOfBody,StreamingResponseBody,ResponseEntity", "entityOfEmitter,SseEmitter,ResponseEntity",
			"entityOfFlux,Flux,ResponseEntity", "entityOfFuture,CompletableFuture,ResponseEntity",
			"monoOfEntity,Flux,Mono", "fluxOfFluxes,Flux,Flux", "futureOfStream,Stream,CompletableFuture",
			"asyncFutureOfStream,Stream,CompletableFuture", "futures,CompletableFuture,List",
			"optionalStream,Stream,Optional", "nested,Future,Map", "bounded,Flux,ResponseEntity",
			"array,CompletableFuture,CompletableFuture[]", "arrays,Supplier,List" })
	void refusesWhatRunsAfterReleaseInAWrapper(String name, String work, String wrapper) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(Wrapped.class, name))
			.withMessageContaining("Wrapped." + name + "()")
			.withMessageContaining("The work behind a %s in a %s continues after the lock is released", work, wrapper)
			.withMessageContaining("Wait for the work in the method");
	}

	@Test
	void refusesWhatASubclassWrites() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockMethodRules.check(method(Generic.class, "entity"), Fluxes.class))
			.withMessageContaining("The work behind a Flux in a ResponseEntity continues");
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockMethodRules.check(method(Generic.class, "bare"), Fluxes.class))
			.withMessageContaining("The work behind a Flux continues")
			.withMessageContaining("Override the method in Fluxes with this return type");
		assertThatCode(() -> LockMethodRules.check(method(Generic.class, "bare"), Texts.class))
			.doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "entityOfText", "monoOfTexts", "raw", "wildcard", "type", "recursive", "own" })
	void allowsFinishedResultsInAWrapper(String name) {
		assertThatCode(() -> check(Wrapped.class, name)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "completableFuture", "stage", "mono", "flux" })
	void refusesToInterruptWhatHasNoThread(String name) {
		Method method = method(Deferred.class, name);
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockMethodRules.checkLoss(method, LossPolicy.INTERRUPT))
			.withMessageContaining("Deferred." + name + "()")
			.withMessageContaining("'onLoss' is INTERRUPT, but the work behind a %s has no thread",
					method.getReturnType().getSimpleName());
		assertThatCode(() -> LockMethodRules.checkLoss(method, LossPolicy.FAIL)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "asyncFuture", "asyncCompletableFuture" })
	void allowsToInterruptWhatHasAThread(String name) {
		assertThatCode(() -> LockMethodRules.checkLoss(method(Deferred.class, name), LossPolicy.INTERRUPT))
			.doesNotThrowAnyException();
	}

	@Test
	void refusesSuspendingFunctionWithoutCoroutinesForReactor() throws Exception {
		Class<?> continuation = new ByteBuddy().makeInterface()
			.name("kotlin.coroutines.Continuation")
			.make()
			.load(null)
			.getLoaded();
		Class<?> type = new ByteBuddy().subclass(Object.class)
			.name("example.Suspending")
			.defineMethod("ship", Object.class, Visibility.PUBLIC)
			.withParameters(String.class, continuation)
			.intercept(StubMethod.INSTANCE)
			.make()
			.load(continuation.getClassLoader())
			.getLoaded();
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(type, "ship"))
			.withMessageContaining("example.Suspending.ship(String, Continuation)")
			.withMessageContaining("A suspending function can be locked only with Reactor")
			.withMessageContaining("Add the dependency org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
	}

	@Test
	void refusesMethodOfObject() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(Methods.class, "toString"))
			.withMessageContaining("A method of java.lang.Object");
	}

	@Test
	void refusesFinalClassWithoutInterface() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> check(FinalClass.class, "run"))
			.withMessageContaining("FinalClass is final and has no interface");
	}

	@Test
	void allowsFinalClassWithInterface() {
		assertThatCode(() -> check(FinalRunnable.class, "run")).doesNotThrowAnyException();
	}

	@Test
	void allowsInterfaceMethodOfJdkProxy() {
		Object proxy = new ProxyFactory(new FinalRunnable()).getProxy();
		assertThatCode(() -> LockMethodRules.check(method(Runnable.class, "run"), proxy.getClass()))
			.doesNotThrowAnyException();
	}

	@Test
	void allowsFinalMethodOfJdkProxy() {
		Class<?> proxy = new ProxyFactory(new FinalRunnable()).getProxy().getClass();
		assertThatCode(() -> check(proxy, "run")).doesNotThrowAnyException();
	}

	@Test
	void refusesPackagePrivateMethodOfClassInAnotherPackage() throws Exception {
		Class<?> subclass = new ByteBuddy().subclass(Methods.class)
			.name("example.OtherPackage")
			.make()
			.load(getClass().getClassLoader())
			.getLoaded();
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockMethodRules.check(method(Methods.class, "packagePrivate"), subclass))
			.withMessageContaining("A package-private method cannot be intercepted by a proxy of example.OtherPackage");
	}

	@Test
	void refusesSkipOnPrimitive() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockMethodRules.checkSkip(method(Methods.class, "open"), ContentionPolicy.SKIP,
					"'onContention' is SKIP"))
			.withMessageContaining("Methods.open()")
			.withMessageContaining("'onContention' is SKIP, but a skipped method returns null and this one returns int")
			.withMessageContaining("Return Integer or an Optional, or use FAIL");
	}

	@Test
	void refusesSkipAndMinHoldOnRetryable() {
		for (Class<?> type : List.of(Tried.class, TriedType.class)) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> checkRetries(type, ContentionPolicy.SKIP, Duration.ofSeconds(30)))
				.withMessageContaining("It is @Retryable, and 'minHold' keeps the lock when its first attempt fails")
				.withMessageContaining("would be skipped and look like success")
				.withMessageContaining("Omit 'minHold', use FAIL, or retry inside the method");
			assertThatCode(() -> {
				checkRetries(type, ContentionPolicy.FAIL, Duration.ofSeconds(30));
				checkRetries(type, ContentionPolicy.SKIP, Duration.ZERO);
				checkRetries(type, ContentionPolicy.SKIP, null);
			}).doesNotThrowAnyException();
		}
		assertThatCode(() -> LockMethodRules.checkRetries(method(Methods.class, "text"), Methods.class,
				ContentionPolicy.SKIP, Duration.ofSeconds(30)))
			.doesNotThrowAnyException();
	}

	private static void checkRetries(Class<?> type, ContentionPolicy policy, Duration minHold) {
		LockMethodRules.checkRetries(method(type, "settle"), type, policy, minHold);
	}

	static class Tried {

		@Retryable
		void settle() {
		}

	}

	@Retryable
	static class TriedType {

		void settle() {
		}

	}

	@ParameterizedTest
	@CsvSource({ "open,FAIL", "text,SKIP", "nothing,SKIP", "optional,SKIP" })
	void allowsOtherPolicies(String name, ContentionPolicy policy) {
		assertThatCode(() -> LockMethodRules.checkSkip(method(Methods.class, name), policy, "'onContention' is SKIP"))
			.doesNotThrowAnyException();
	}

	@Test
	void helpersOfLockedTypeTakeNoPart() {
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "open"))).isTrue();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "guarded"))).isTrue();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "sealed"))).isTrue();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "hidden"))).isFalse();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "utility"))).isFalse();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "helper"))).isFalse();
		assertThat(LockMethodRules.takesAnnotationOfType(method(Methods.class, "toString"))).isFalse();
	}

	private static void check(Class<?> type, String name) {
		LockMethodRules.check(method(type, name), type);
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	public static class Methods {

		public int open() {
			hidden();
			return 1;
		}

		protected void guarded() {
		}

		void packagePrivate() {
		}

		public String text() {
			return "";
		}

		public Optional<String> optional() {
			return Optional.empty();
		}

		public void nothing() {
		}

		private void hidden() {
		}

		public static void utility() {
		}

		public final void sealed() {
		}

		protected final void helper() {
		}

		@Override
		public String toString() {
			return "methods";
		}

	}

	abstract static class Deferred {

		abstract Future<String> future();

		abstract CompletableFuture<String> completableFuture();

		abstract CompletionStage<String> stage();

		abstract Mono<String> mono();

		abstract Flux<String> flux();

		abstract Flow.Publisher<String> flow();

		abstract Stream<String> stream();

		abstract IntStream ints();

		abstract Callable<String> callable();

		abstract Supplier<String> supplier();

		abstract Iterator<String> iterator();

		abstract DeferredResult<String> deferredResult();

		abstract SseEmitter sseEmitter();

		abstract ResponseBodyEmitter responseBodyEmitter();

		abstract StreamingResponseBody streamingResponseBody();

		@Async
		abstract Future<String> asyncFuture();

		@Async
		abstract CompletableFuture<String> asyncCompletableFuture();

	}

	@SuppressWarnings("rawtypes")
	abstract static class Wrapped {

		abstract ResponseEntity<StreamingResponseBody> entityOfBody();

		abstract ResponseEntity<SseEmitter> entityOfEmitter();

		abstract ResponseEntity<Flux<String>> entityOfFlux();

		abstract ResponseEntity<CompletableFuture<String>> entityOfFuture();

		abstract Mono<ResponseEntity<Flux<String>>> monoOfEntity();

		abstract Flux<Flux<String>> fluxOfFluxes();

		abstract CompletableFuture<Stream<String>> futureOfStream();

		@Async
		abstract CompletableFuture<Stream<String>> asyncFutureOfStream();

		abstract List<CompletableFuture<String>> futures();

		abstract Optional<Stream<String>> optionalStream();

		abstract Map<String, List<Optional<Future<String>>>> nested();

		abstract ResponseEntity<? extends Flux<String>> bounded();

		abstract CompletableFuture<String>[] array();

		abstract List<Supplier<String>[]> arrays();

		abstract ResponseEntity<List<String>> entityOfText();

		abstract Mono<List<String>> monoOfTexts();

		abstract ResponseEntity raw();

		abstract ResponseEntity<?> wildcard();

		abstract Class<? extends Future<?>> type();

		abstract Enum recursive();

		abstract <T extends Comparable<T>> List<T> own();

	}

	abstract static class Generic<T> {

		abstract ResponseEntity<T> entity();

		abstract T bare();

	}

	abstract static class Fluxes extends Generic<Flux<String>> {

	}

	abstract static class Texts extends Generic<String> {

	}

	static final class FinalClass {

		void run() {
		}

	}

	static final class FinalRunnable implements Runnable {

		@Override
		public void run() {
		}

	}

}
