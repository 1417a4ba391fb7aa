package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockAdvisor}.
 */
class LockAdvisorTests {

	private final LockAdvisor advisor = advisor(new Source());

	@Test
	void selectsMethodsThatHaveALock() throws Exception {
		assertThat(AopUtils.canApply(this.advisor.getPointcut(), Locked.class)).isTrue();
		assertThat(this.advisor.matches(Locked.class.getMethod("locked"), Locked.class)).isTrue();
		assertThat(this.advisor.matches(Locked.class.getMethod("unlocked"), Locked.class)).isFalse();
	}

	@Test
	void leavesOtherClassesAlone() {
		assertThat(AopUtils.canApply(this.advisor.getPointcut(), Unlocked.class)).isFalse();
	}

	@Test
	void leavesClassAloneWhoseAnnotationReachesNoMethod() {
		assertThat(this.advisor.getClassFilter().matches(OnlyHelpers.class)).isFalse();
	}

	@Test
	void classFilterRefusesWrongMethodThatNoInterfaceDeclares() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> this.advisor.getClassFilter().matches(WrongImpl.class))
			.withMessageContaining("WrongImpl.wrong()");
	}

	@Test
	void classFilterRefusesWrongMethodOfSuperclass() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> this.advisor.getClassFilter().matches(WrongChild.class))
			.withMessageContaining("WrongImpl.wrong()");
	}

	@Test
	void classFilterAsksOncePerClass() {
		List<Class<?>> asked = new ArrayList<>();
		LockAdvisor counting = advisor(new Source() {

			@Override
			boolean isCandidateClass(Class<?> targetClass) {
				asked.add(targetClass);
				return false;
			}

			@Override
			@Nullable LockDefinition getLockDefinition(Method method, @Nullable Class<?> targetClass) {
				throw new AssertionError("Must not be asked");
			}

		});
		assertThat(counting.getClassFilter().matches(Unlocked.class)).isFalse();
		assertThat(counting.getClassFilter().matches(Unlocked.class)).isFalse();
		assertThat(asked).containsExactly(Unlocked.class);
	}

	@Test
	void worksWithAnotherSource() throws Exception {
		LockAdvisor byName = advisor(new Source() {

			@Override
			boolean isCandidateClass(Class<?> targetClass) {
				return true;
			}

			@Override
			@Nullable LockDefinition getLockDefinition(Method method, @Nullable Class<?> targetClass) {
				return method.getName().startsWith("un") ? new LockDefinition(method, LockRequest.exclusive("a"), null,
						List.of(), ContentionPolicy.FAIL, true, null, null, null, false) : null;
			}

		});
		assertThat(AopUtils.canApply(byName.getPointcut(), Unlocked.class)).isTrue();
		assertThat(AopUtils.canApply(byName.getPointcut(), OnlyHelpers.class)).isFalse();
	}

	private static LockAdvisor advisor(AnnotationLockDefinitionSource source) {
		return new LockAdvisor(source, () -> {
			throw new AssertionError("Must not be called");
		});
	}

	static class Source extends AnnotationLockDefinitionSource {

		Source() {
			super(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null);
		}

	}

	static class Locked {

		@DistributedLock("orders")
		public void locked() {
		}

		public void unlocked() {
		}

	}

	static class Unlocked {

		public void unlocked() {
		}

	}

	@DistributedLock("orders")
	static class OnlyHelpers {

		public static void helper() {
		}

	}

	interface Right {

		void right();

	}

	static class WrongImpl implements Right {

		@Override
		@DistributedLock("orders")
		public void right() {
		}

		@DistributedLock("")
		void wrong() {
		}

	}

	static class WrongChild extends WrongImpl {

	}

}
