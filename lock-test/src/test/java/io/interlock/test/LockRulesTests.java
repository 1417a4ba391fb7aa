package io.interlock.test;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.EvaluationResult;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.annotation.ReadLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRules}.
 */
class LockRulesTests {

	@ParameterizedTest
	@ValueSource(classes = { OfMethod.class, OfComposedAnnotation.class, OfLeader.class, OfClass.class,
			OfInterface.class, OfSuperclass.class, ByReference.class })
	void selfCallsAreViolations(Class<?> type) {
		EvaluationResult result = LockRules.annotatedMethodsAreCalledFromOutside()
			.evaluate(new ClassFileImporter().importClasses(type, Locked.class, Settling.class));
		assertThat(result.getFailureReport().getDetails()).singleElement()
			.asString()
			.contains(type.getName() + ".run", "settle()");
	}

	@Test
	void selfCallsOfAnonymousClassesAreViolations() {
		EvaluationResult result = LockRules.annotatedMethodsAreCalledFromOutside()
			.evaluate(new ClassFileImporter().importClasses(InAnonymousClass.class, InAnonymousClass.anonymous()));
		assertThat(result.getFailureReport().getDetails()).singleElement().asString().contains("settle()");
	}

	@Test
	void callsFromOutsideAndOfMethodsWithoutLocksAreFine() {
		LockRules.annotatedMethodsAreCalledFromOutside()
			.check(new ClassFileImporter().importClasses(Locked.class, FromOutside.class));
	}

	interface Settling {

		@DistributedLock("settlement")
		void settle();

	}

	static class Locked {

		@DistributedLock("settlement")
		public void settle() {
			log();
		}

		void log() {
		}

	}

	static class FromOutside {

		private final Locked locked = new Locked();

		void run() {
			this.locked.settle();
		}

	}

	static class OfMethod {

		void run() {
			settle();
		}

		@DistributedLock("settlement")
		public void settle() {
		}

	}

	static class OfComposedAnnotation {

		void run() {
			settle();
		}

		@ReadLock("settlement")
		public void settle() {
		}

	}

	static class OfLeader {

		void run() {
			settle();
		}

		@LeaderOnly("settlement")
		public void settle() {
		}

	}

	@DistributedLock("settlement")
	static class OfClass {

		private void run() {
			settle();
		}

		public void settle() {
			// A private method has no lock.
			log();
		}

		private void log() {
		}

	}

	static class OfInterface implements Settling {

		void run() {
			settle();
		}

		@Override
		public void settle() {
		}

	}

	static class OfSuperclass extends Locked {

		void run() {
			settle();
		}

	}

	static class ByReference {

		Runnable run() {
			return this::settle;
		}

		@DistributedLock("settlement")
		public void settle() {
		}

	}

	static class InAnonymousClass {

		Runnable run() {
			return new Runnable() {

				@Override
				public void run() {
					settle();
				}

			};
		}

		static Class<?> anonymous() {
			return new InAnonymousClass().run().getClass();
		}

		@DistributedLock("settlement")
		public void settle() {
		}

	}

}
