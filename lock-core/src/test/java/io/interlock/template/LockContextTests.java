package io.interlock.template;

import java.time.Duration;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext}.
 */
class LockContextTests {

	private final LockRequest orders = LockRequest.exclusive("orders");

	private final LockRequest stock = LockRequest.exclusive("stock");

	private final LockTemplate template = new LockTemplate(new InMemoryLockProvider());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	@Test
	void thereIsNoCurrentLockOutside() {
		assertThatIllegalStateException().isThrownBy(LockContext::current)
			.withMessageStartingWith("This thread holds no lock.")
			.withMessageContaining("not called through its proxy")
			.withMessageContaining("an object that calls itself");
	}

	@Test
	void nothingIsFoundOutside() {
		assertThat(LockContext.find(this.orders.id())).isEmpty();
	}

	@Test
	void theCurrentLockIsTheOneOfTheBody() {
		this.template.executeWithoutResult(this.orders, (lock) -> {
			assertThat(LockContext.current()).isSameAs(lock);
			assertThat(LockContext.find(this.orders.id())).containsSame(lock);
		});
	}

	@Test
	void theCurrentLockIsTheInnermostOfTwo() {
		this.template.executeWithoutResult(this.orders, (outer) -> {
			this.template.executeWithoutResult(this.stock,
					(inner) -> assertThat(LockContext.current()).isSameAs(inner));
			assertThat(LockContext.current()).isSameAs(outer);
		});
	}

	@Test
	void theCurrentLockIsTheInnermostOfTheSameLock() {
		this.template.executeWithoutResult(this.orders, (outer) -> {
			this.template.executeWithoutResult(this.orders,
					(inner) -> assertThat(LockContext.current()).isSameAs(inner).isNotSameAs(outer));
			assertThat(LockContext.current()).isSameAs(outer);
		});
	}

	@Test
	void theOuterLockIsFoundById() {
		this.template.executeWithoutResult(this.orders, (outer) -> this.template.executeWithoutResult(this.stock,
				(inner) -> assertThat(LockContext.find(this.orders.id())).containsSame(outer)));
	}

	@Test
	void theInnermostHandleOfALockIsFound() {
		this.template.executeWithoutResult(this.orders, (outer) -> this.template.executeWithoutResult(this.orders,
				(inner) -> assertThat(LockContext.find(this.orders.id())).containsSame(inner)));
	}

	@Test
	void anotherKeyIsNotFound() {
		this.template.executeWithoutResult(this.orders,
				(lock) -> assertThat(LockContext.find(new LockId("orders", "42"))).isEmpty());
	}

	@Test
	void thereIsNoCurrentLockAfterwards() {
		this.template.executeWithoutResult(this.orders, LockHandle::verify);
		assertThatIllegalStateException().isThrownBy(LockContext::current);
		assertThat(LockContext.find(this.orders.id())).isEmpty();
	}

	@Test
	void thereIsNoCurrentLockAfterAnException() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(this.orders, (lock) -> {
				throw new UnsupportedOperationException();
			}));
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void anotherThreadDoesNotSeeTheLock() throws Exception {
		try (LockHandle lock = this.template.acquire(this.orders)) {
			Background.run(() -> {
				assertThatIllegalStateException().isThrownBy(LockContext::current);
				assertThat(LockContext.find(lock.id())).isEmpty();
			});
		}
	}

	@Test
	void handlesMayBeClosedInAnyOrder() {
		LockHandle outer = this.template.acquire(this.orders);
		LockHandle inner = this.template.acquire(this.stock);
		outer.close();
		assertThat(LockContext.current()).isSameAs(inner);
		inner.close();
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void theHoldOfARequestIsFoundWhicheverOptionsItHas() {
		LockRequest row = this.stock.withKey("A-1");
		this.template.executeAll(List.of(this.orders, row), (locks) -> {
			assertThat(LockContext.find(row.withWaitTime(Duration.ZERO))).containsSame(locks.handle(row.id()));
			assertThat(LockContext.find(this.orders)).containsSame(locks.handle(this.orders.id()));
			assertThat(LockContext.find(this.stock)).isEmpty();
			assertThat(LockContext.find(row.withKey("A-2"))).isEmpty();
			return true;
		});
		assertThat(LockContext.find(row)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE, true", "EXCLUSIVE, SHARED, true", "EXCLUSIVE, PERMIT, true",
			"SHARED, SHARED, true", "SHARED, EXCLUSIVE, false", "SHARED, PERMIT, false", "PERMIT, PERMIT, true",
			"PERMIT, SHARED, false", "PERMIT, EXCLUSIVE, false" })
	void aHoldAnswersForARequestThatItsModeCovers(LockMode held, LockMode asked, boolean found) {
		this.template.executeWithoutResult(request(held),
				(lock) -> assertThat(LockContext.find(request(asked)).isPresent()).isEqualTo(found));
	}

	@Test
	void theHoldOfARequestIsNotThatOfAnotherThread() throws Exception {
		try (LockHandle lock = this.template.acquire(this.orders)) {
			assertThat(LockContext.find(this.orders)).containsSame(lock);
			Background.run(() -> assertThat(LockContext.find(this.orders)).isEmpty());
		}
	}

	private static LockRequest request(LockMode mode) {
		return switch (mode) {
			case EXCLUSIVE -> LockRequest.exclusive("office");
			case SHARED -> LockRequest.shared("office");
			case PERMIT -> LockRequest.semaphore("office", 1);
		};
	}

}
