package io.interlock.test.example;

import java.time.Duration;

import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.LockContext;
import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link StockService}.
 */
@SpringBootTest
@AutoConfigureTestLocks
class StockServiceTests {

	@Autowired
	private StockService stock;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private Warehouse warehouse;

	@Test
	void reservesUnderTheLockOfTheArticle() {
		willAnswer((call) -> assertThat(this.locks).holds("stock", "A-1")).given(this.warehouse).take("A-1", 2);
		this.stock.reserve("A-1", 2);
		assertThat(this.locks).acquired("stock", "A-1").times(1).holdsNothing();
	}

	@Test
	void refusesAReservationWhileAnotherInstanceHasTheArticle() {
		this.locks.busy("stock", "A-1");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.stock.reserve("A-1", 2));
		this.stock.reserve("B-7", 1);
		assertThat(this.locks).notAcquired("stock", "A-1").acquired("stock", "B-7");
	}

	@Test
	void leavesTheInventoryToAnotherInstance() {
		this.locks.busy("inventory");
		this.stock.takeInventory();
		assertThat(this.locks).refused("inventory");
		then(this.warehouse).shouldHaveNoInteractions();
	}

	@Test
	void takesInventoryOnceInFiveMinutes() {
		this.stock.takeInventory();
		this.stock.takeInventory();
		then(this.warehouse).should(times(1)).count();
		this.locks.advance(Duration.ofMinutes(5));
		this.stock.takeInventory();
		then(this.warehouse).should(times(2)).count();
	}

	@Test
	void takesNothingInAnOutage() {
		this.locks.unavailable();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> this.stock.reserve("A-1", 2));
		then(this.warehouse).shouldHaveNoInteractions();
	}

	@Test
	void tellsThatTheLockWasLost() {
		willAnswer((call) -> {
			this.locks.lose("stock", "A-1");
			return null;
		}).given(this.warehouse).take("A-1", 2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.reserve("A-1", 2));
		assertThat(this.locks).lost("stock", "A-1");
	}

	@Test
	void knowsWhenItsLockIsInDoubt() {
		willAnswer((call) -> {
			try (AutoCloseable suspension = this.locks.suspend("stock", "A-1")) {
				assertThat(LockContext.current().isValid()).as("during %s", suspension).isFalse();
			}
			assertThat(LockContext.current().isValid()).isTrue();
			return null;
		}).given(this.warehouse).take("A-1", 2);
		this.stock.reserve("A-1", 2);
		assertThat(this.locks).acquired("stock", "A-1").times(1);
	}

}
