package io.interlock.interceptor;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockState;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.template.LockContext;
import io.interlock.template.ReactiveLockContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for methods whose lock is switched off.
 */
class SwitchedOffLockTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Seats seats = proxy((name) -> new LockOverrides.Change(null, null, false), false);

	@AfterEach
	void noLockIsTakenAndNoHandleIsLeft() {
		assertThat(this.locks.requests()).isEmpty();
		assertThat(LockContext.held()).isEmpty();
	}

	@Test
	void methodHasTheHandleOfALock() {
		LockHandle lock = this.seats.sell(7);
		assertThat(lock.id().name()).isEqualTo("seat");
		assertThat(lock.id().key()).isEqualTo("7");
		assertThat(lock.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(lock.fencingToken()).isPositive();
		assertThat(lock.state()).isEqualTo(LockState.RELEASED);
	}

	@Test
	void switchForAllLocksGivesTheSameHandle() {
		assertThat(proxy((name) -> LockOverrides.Change.NONE, true).sell(7).id().key()).isEqualTo("7");
	}

	@Test
	void tokensFenceEachOther() {
		assertThat(this.seats.sell(7).fencingToken()).isLessThan(this.seats.sell(7).fencingToken());
	}

	@Test
	void methodInsideJoins() {
		assertThat(this.seats.sellTwice(this.seats, 7)).containsExactly(true, true);
	}

	@Test
	void threadsExcludeNothing() {
		assertThat(this.seats.with(() -> CompletableFuture.supplyAsync(() -> this.seats.sell(7)).join())).isPresent();
	}

	@Test
	void methodWithSeveralKeysHoldsThemAll() {
		assertThat(this.seats.transfer("a", "b")).extracting((lock) -> lock.id().key()).containsExactly("b", "a");
	}

	@Test
	void keyThatCannotBeUsedRefusesNoCall() {
		assertThat(this.seats.cancel(null).id().key()).isNull();
	}

	@Test
	void failureOfTheMethodIsThatOfItsCaller() {
		IllegalStateException failure = new IllegalStateException("test");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.seats.fail(failure))
			.isSameAs(failure);
	}

	@Test
	void handleIsOpenUntilTheFutureIsComplete() {
		CompletableFuture<LockHandle> given = new CompletableFuture<>();
		CompletableFuture<LockHandle> result = this.seats.later(given);
		assertThat(LockContext.held()).isEmpty();
		LockHandle lock = this.seats.last();
		assertThat(lock.isValid()).isTrue();
		given.complete(lock);
		assertThat(result).isSameAs(given);
		assertThat(lock.state()).isEqualTo(LockState.RELEASED);
	}

	@Test
	void everySubscriptionHasAHandle() {
		Mono<LockHandle> mono = this.seats.mono();
		LockHandle first = mono.block();
		LockHandle second = mono.block();
		assertThat(first).isNotNull();
		assertThat(second).isNotNull();
		assertThat(first.fencingToken()).isLessThan(second.fencingToken());
		assertThat(second.state()).isEqualTo(LockState.RELEASED);
		assertThat(this.seats.flux().collectList().block()).containsExactly("seat", "seat");
	}

	@Test
	void refusedMethodFailsNoStart() {
		LockAdvisor advisor = advisor((name) -> LockOverrides.Change.NONE, true);
		assertThat(advisor.getClassFilter().matches(Refused.class)).isFalse();
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(
				() -> advisor((name) -> LockOverrides.Change.NONE, false).getClassFilter().matches(Refused.class));
	}

	private Seats proxy(LockOverrides overrides, boolean switchedOff) {
		ProxyFactory factory = new ProxyFactory(new Seats());
		factory.addAdvisor(advisor(overrides, switchedOff));
		return (Seats) factory.getProxy();
	}

	private LockAdvisor advisor(LockOverrides overrides, boolean switchedOff) {
		LockAdvisor advisor = new LockAdvisor(new MockEnvironment(), overrides, null, () -> this.locks);
		if (switchedOff) {
			advisor.switchOff();
		}
		return advisor;
	}

	static class Seats {

		private @Nullable LockHandle last;

		@DistributedLock(name = "seat", key = "#id", minHold = "1h", waitTime = "forever")
		public LockHandle sell(int id) {
			assertThat(LockContext.current().isValid()).isTrue();
			return LockContext.current();
		}

		@DistributedLock(name = "seat", key = "#id")
		public List<Boolean> sellTwice(Seats proxy, int id) {
			long token = LockContext.current().fencingToken();
			return List.of(proxy.sell(id).fencingToken() == token, proxy.read(id).fencingToken() == token);
		}

		@ReadLock(name = "seat", key = "#id")
		public LockHandle read(int id) {
			return LockContext.current();
		}

		@DistributedLock(name = "seat", key = "7")
		public Optional<LockHandle> with(java.util.function.Supplier<LockHandle> body) {
			return Optional.of(body.get());
		}

		@DistributedLock(name = "seat", keys = { "#from", "#to" })
		public List<LockHandle> transfer(String from, String to) {
			return LockContext.held();
		}

		@DistributedLock(name = "seat", key = "#id.length()")
		public LockHandle cancel(@Nullable String id) {
			return LockContext.current();
		}

		@DistributedLock(name = "seat", fallback = "none")
		public LockHandle fail(RuntimeException failure) {
			throw failure;
		}

		LockHandle none(RuntimeException failure) {
			throw new AssertionError(failure);
		}

		@DistributedLock(name = "seat", key = "7")
		public CompletableFuture<LockHandle> later(CompletableFuture<LockHandle> given) {
			this.last = LockContext.current();
			return given;
		}

		@DistributedLock(name = "seat", key = "7")
		public Mono<LockHandle> mono() {
			LockHandle lock = LockContext.current();
			return ReactiveLockContext.current()
				.doOnNext((current) -> assertThat(current).isSameAs(lock).matches(LockHandle::isValid));
		}

		@DistributedLock(name = "seat", key = "7")
		public Flux<String> flux() {
			return ReactiveLockContext.current().map((lock) -> lock.id().name()).repeat(1);
		}

		LockHandle last() {
			assertThat(this.last).isNotNull();
			return this.last;
		}

	}

	static class Refused {

		@DistributedLock("")
		public void empty() {
		}

	}

}
