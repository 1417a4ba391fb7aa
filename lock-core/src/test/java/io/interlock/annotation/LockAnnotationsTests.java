package io.interlock.annotation;

import java.lang.annotation.Annotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DistributedLock}, {@link ReadLock} and {@link WriteLock}.
 */
class LockAnnotationsTests {

	@ParameterizedTest
	@ValueSource(classes = { DistributedLock.class, ReadLock.class, WriteLock.class })
	void everyAnnotationGoesOnTypesAndMethodsAndIsVisibleAtRunTime(Class<? extends Annotation> type) {
		assertThat(type.getAnnotation(Target.class).value()).containsExactlyInAnyOrder(ElementType.TYPE,
				ElementType.METHOD);
		assertThat(type.getAnnotation(Retention.class).value()).isEqualTo(RetentionPolicy.RUNTIME);
		assertThat(type).hasAnnotation(Reflective.class);
	}

	@ParameterizedTest
	@ValueSource(classes = { ReadLock.class, WriteLock.class })
	void shortFormsHaveEveryAttributeButTheMode(Class<? extends Annotation> type) {
		Set<String> attributes = attributes(DistributedLock.class);
		attributes.remove("mode");
		assertThat(attributes(type)).isEqualTo(attributes);
	}

	@Test
	void semaphoreHasPermitsInPlaceOfTheMode() {
		Set<String> attributes = attributes(DistributedLock.class);
		attributes.remove("mode");
		attributes.add("permits");
		assertThat(attributes(DistributedSemaphore.class)).isEqualTo(attributes);
	}

	@ParameterizedTest
	@ValueSource(classes = { ReadLock.class, WriteLock.class })
	void shortFormsHaveTheSameDefaults(Class<? extends Annotation> type) throws Exception {
		for (Method attribute : type.getDeclaredMethods()) {
			assertThat(attribute.getDefaultValue())
				.isEqualTo(DistributedLock.class.getMethod(attribute.getName()).getDefaultValue());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "byValue", "byName" })
	void valueIsShortForName(String method) {
		assertThat(merged(method).getString("name")).isEqualTo("orders");
	}

	@ParameterizedTest
	@ValueSource(strings = { "readByValue", "readByName" })
	void readLockIsASharedLock(String method) {
		MergedAnnotation<DistributedLock> lock = merged(method);
		assertThat(lock.getString("name")).isEqualTo("orders");
		assertThat(lock.getEnum("mode", LockMode.class)).isEqualTo(LockMode.SHARED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "writeByValue", "writeByName" })
	void writeLockIsAnExclusiveLock(String method) {
		MergedAnnotation<DistributedLock> lock = merged(method);
		assertThat(lock.getString("name")).isEqualTo("orders");
		assertThat(lock.getEnum("mode", LockMode.class)).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void attributesOfAShortFormReachTheLock() {
		MergedAnnotation<DistributedLock> lock = merged("everything");
		assertThat(lock.getString("key")).isEqualTo("#id");
		assertThat(lock.getString("waitTime")).isEqualTo("5s");
		assertThat(lock.getEnum("onContention", ContentionPolicy.class)).isEqualTo(ContentionPolicy.SKIP);
		assertThat(lock.getEnum("onLoss", LossPolicy.class)).isEqualTo(LossPolicy.SIGNAL);
	}

	@Test
	void attributesOfAComposedAnnotationReachTheLock() {
		MergedAnnotation<DistributedLock> lock = merged("composed");
		assertThat(lock.getString("name")).isEqualTo("orders");
		assertThat(lock.getString("key")).isEqualTo("#order");
		assertThat(lock.getEnum("mode", LockMode.class)).isEqualTo(LockMode.SHARED);
	}

	private static Set<String> attributes(Class<? extends Annotation> type) {
		return Arrays.stream(type.getDeclaredMethods()).map(Method::getName).collect(Collectors.toSet());
	}

	private static MergedAnnotation<DistributedLock> merged(String method) {
		try {
			return MergedAnnotations.from(Annotated.class.getDeclaredMethod(method)).get(DistributedLock.class);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@ReadLock(name = "orders")
	@interface ReadsOrder {

		@AliasFor(annotation = ReadLock.class, attribute = "key")
		String id();

	}

	interface Annotated {

		@DistributedLock("orders")
		void byValue();

		@DistributedLock(name = "orders")
		void byName();

		@ReadLock("orders")
		void readByValue();

		@ReadLock(name = "orders")
		void readByName();

		@WriteLock("orders")
		void writeByValue();

		@WriteLock(name = "orders")
		void writeByName();

		@WriteLock(name = "orders", key = "#id", waitTime = "5s", onContention = ContentionPolicy.SKIP,
				onLoss = LossPolicy.SIGNAL)
		void everything();

		@ReadsOrder(id = "#order")
		void composed();

	}

}
