package io.interlock.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LockInterceptor} behind {@link LockAdvisor}.
 */
class LockInterceptorTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Orders target = new Orders(this.locks);

	private LockOverrides.Change override = LockOverrides.Change.NONE;

	@Test
	void runsMethodUnderItsLock() {
		assertThat(proxy().ship("A-1")).isEqualTo("shipped A-1");
		assertThat(this.locks.requests()).containsExactly(LockRequest.exclusive("orders").withKey("A-1"));
		assertThat(this.target.heldWhenCalled).containsExactly(true);
		assertThat(this.locks.isHolding()).isFalse();
	}

	@Test
	void runsOtherMethodsWithoutLock() {
		proxy().unlocked();
		assertThat(this.locks.requests()).isEmpty();
		assertThat(this.target.heldWhenCalled).containsExactly(false);
	}

	@Test
	void asksForOneLockWithoutKey() {
		proxy().all();
		assertThat(this.locks.requests()).containsExactly(LockRequest.exclusive("orders"));
	}

	@Test
	void evaluatesKeyOnceAndBeforeWaiting() {
		Counted counted = new Counted(this.locks);
		proxy().count(counted);
		assertThat(counted.requestsWhenRead).containsExactly(0);
		assertThat(this.locks.lastRequest().id().key()).isEqualTo("1");
	}

	@Test
	void asksForSeveralLocksTogether() {
		assertThat(proxy().transfer("b", "a")).isEqualTo("moved");
		assertThat(this.locks.requests()).containsExactly(LockRequest.exclusive("accounts").withKey("b"),
				LockRequest.exclusive("accounts").withKey("a"));
		assertThat(this.target.heldWhenCalled).containsExactly(true);
	}

	@Test
	void skippingMethodWithSeveralKeysTriesOnce() {
		assertThat(proxy().skipAll(List.of("a"))).isEqualTo("ran");
		assertThat(this.locks.lastRequest().waitTime()).isZero();
		this.locks.contended();
		assertThat(proxy().skipAll(List.of("a", "b"))).isNull();
		assertThat(this.target.heldWhenCalled).hasSize(1);
	}

	@Test
	void contentionInsideOfAMethodWithSeveralKeysIsNotSkipped() {
		LockNotAcquiredException inside = new LockNotAcquiredException("inside", new LockId("x", null), Duration.ZERO,
				null);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> proxy().skipAllOrFail(inside))
			.isSameAs(inside);
	}

	@Test
	void contentionForSeveralKeysFailsByDefault() {
		this.locks.contended();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> proxy().transfer("a", "b"));
	}

	@Test
	void wrongKeyTakesNoLockAndRunsNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> proxy().ship(null))
			.withMessageContaining("Key '#sku' of lock 'orders'");
		assertThat(this.locks.requests()).isEmpty();
		assertThat(this.target.heldWhenCalled).isEmpty();
	}

	@Test
	void checkedExceptionReachesCallerAsItIs() {
		IOException failure = new IOException("disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> proxy().fail(failure)).isSameAs(failure);
		assertThat(this.locks.isHolding()).isFalse();
	}

	@Test
	void errorReachesCallerAsItIs() {
		AssertionError failure = new AssertionError("wrong");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> proxy().fail(failure)).isSameAs(failure);
	}

	@Test
	void checkedExceptionOfSkippingMethodReachesCallerAsItIs() {
		IOException failure = new IOException("disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> proxy().skipOrFail(failure)).isSameAs(failure);
	}

	@Test
	void contentionFailsByDefault() {
		this.locks.contended();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> proxy().ship("A-1"));
		assertThat(this.target.heldWhenCalled).isEmpty();
	}

	@Test
	void skippedMethodReturnsNull() {
		this.locks.contended();
		assertThat(proxy().skip()).isNull();
		assertThat(this.target.heldWhenCalled).isEmpty();
		assertThat(this.locks.requests()).hasSize(1);
	}

	@Test
	void skippedMethodReturnsEmptyOptional() {
		this.locks.contended();
		assertThat(proxy().skipOptional()).isEmpty();
		assertThat(proxy().skipInt()).isEmpty();
		assertThat(proxy().skipLong()).isEmpty();
		assertThat(proxy().skipDouble()).isEmpty();
	}

	@Test
	void refusalOfTheTransactionIsNoContention() {
		LockNotAcquiredException refusal = new LockNotAcquiredException("Fenced", new LockId("accounts", null, null),
				Duration.ZERO, null);
		this.locks.refuseBody(refusal);
		assertThatThrownBy(() -> proxy().skip()).isSameAs(refusal);
		assertThatThrownBy(() -> proxy().skipAll(List.of("a", "b"))).isSameAs(refusal);
		assertThat(this.target.heldWhenCalled).isEmpty();
	}

	@Test
	void skippingMethodReturnsItsResultWhenItRuns() {
		assertThat(proxy().skip()).isEqualTo("ran");
		assertThat(proxy().skipOptional()).contains("ran");
	}

	@Test
	void skippingMethodThatReturnsNullReturnsNull() {
		assertThat(proxy().skipOptionalThatIsNull()).isNull();
	}

	@Test
	void disabledLockIsNotTaken() {
		this.override = new LockOverrides.Change(null, null, false);
		assertThat(proxy().ship("A-1")).isEqualTo("shipped A-1");
		assertThat(this.locks.requests()).isEmpty();
	}

	@Test
	void overriddenPolicySkips() {
		this.override = new LockOverrides.Change(ContentionPolicy.SKIP, null, true);
		this.locks.contended();
		assertThat(proxy().ship("A-1")).isNull();
	}

	@Test
	void asksForLockOperationsOnceAndOnlyWhenNeeded() {
		List<String> asked = new ArrayList<>();
		AnnotationLockDefinitionSource source = source();
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.addAdvisor(new LockAdvisor(source, () -> {
			asked.add("asked");
			return this.locks;
		}));
		Orders proxy = (Orders) factory.getProxy();
		proxy.unlocked();
		assertThat(asked).isEmpty();
		proxy.all();
		proxy.all();
		assertThat(asked).hasSize(1);
	}

	@Test
	void advisorIsOutsideOfTheLowestPrecedence() {
		AnnotationLockDefinitionSource source = source();
		LockAdvisor advisor = new LockAdvisor(source, () -> this.locks);
		assertThat(advisor.getOrder()).isEqualTo(2147483547);
	}

	private Orders proxy() {
		AnnotationLockDefinitionSource source = source();
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.addAdvisor(new LockAdvisor(source, () -> this.locks));
		return (Orders) factory.getProxy();
	}

	private AnnotationLockDefinitionSource source() {
		return new AnnotationLockDefinitionSource(new MockEnvironment(), (name) -> this.override, null);
	}

	public static class Counted {

		private final List<Integer> requestsWhenRead = new ArrayList<>();

		private final RecordingLockOperations locks;

		Counted(RecordingLockOperations locks) {
			this.locks = locks;
		}

		public int getNumber() {
			this.requestsWhenRead.add(this.locks.requests().size());
			return this.requestsWhenRead.size();
		}

	}

	static class Orders {

		private final List<Boolean> heldWhenCalled = new ArrayList<>();

		private final RecordingLockOperations locks;

		Orders(RecordingLockOperations locks) {
			this.locks = locks;
		}

		@DistributedLock(name = "orders", key = "#sku")
		public @Nullable String ship(@Nullable String sku) {
			called();
			return "shipped " + sku;
		}

		@DistributedLock("orders")
		public void all() {
			called();
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#to" })
		public @Nullable String transfer(String from, String to) {
			called();
			return "moved";
		}

		@DistributedLock(name = "accounts", keys = "#all", onContention = ContentionPolicy.SKIP)
		public @Nullable String skipAll(List<String> all) {
			called();
			return "ran";
		}

		@DistributedLock(name = "accounts", keys = "'a'", onContention = ContentionPolicy.SKIP)
		public void skipAllOrFail(RuntimeException failure) {
			throw failure;
		}

		@DistributedLock(name = "orders", key = "#counted.number")
		public void count(Counted counted) {
			called();
		}

		@DistributedLock("orders")
		public void fail(Throwable failure) throws Throwable {
			throw failure;
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public void skipOrFail(Throwable failure) throws Throwable {
			throw failure;
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public @Nullable String skip() {
			called();
			return "ran";
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public Optional<String> skipOptional() {
			return Optional.of("ran");
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public @Nullable Optional<String> skipOptionalThatIsNull() {
			return null;
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public OptionalInt skipInt() {
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public OptionalLong skipLong() {
			return OptionalLong.of(1);
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		public OptionalDouble skipDouble() {
			return OptionalDouble.of(1);
		}

		public void unlocked() {
			called();
		}

		private void called() {
			this.heldWhenCalled.add(this.locks.isHolding());
		}

	}

}
