package io.interlock.template;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for what {@link LockTemplate} does when a lock is lost.
 */
@Timeout(30)
class LockTemplateLossTests {

	private static final LockRequest FAIL = LockRequest.exclusive("orders");

	private static final LockRequest INTERRUPT = FAIL.withOnLoss(LossPolicy.INTERRUPT);

	private static final LockRequest SIGNAL = FAIL.withOnLoss(LossPolicy.SIGNAL);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final LockTemplate template = new LockTemplate(this.provider);

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).as("stray interrupt flag").isFalse();
		assertThat(this.provider.openGrants()).isZero();
	}

	private ScriptedGrant grant() {
		return this.provider.onlyGrant();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void aLossReplacesTheResult() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(FAIL, (lock) -> {
			grant().lose();
			return "done";
		})).withMessageContaining("orders").withMessageContaining("token 101").withNoCause();
		assertThat(grant().releases()).isEqualTo(1);
	}

	@Test
	void aLossReplacesTheOutcome() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.tryExecute(FAIL, (lock) -> {
			grant().lose();
			return "done";
		}));
	}

	@Test
	void theBodyRunsToItsEnd() {
		AtomicInteger steps = new AtomicInteger();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(FAIL, (lock) -> {
				grant().lose();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				steps.incrementAndGet();
			}));
		assertThat(steps).hasValue(1);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void anExceptionOfTheBodyWinsWithTheLossUnderIt() {
		IOException failure = new IOException("disk full");
		assertThatThrownBy(() -> this.template.execute(FAIL, (lock) -> {
			grant().lose();
			throw failure;
		})).isSameAs(failure)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void signalDoesNotDisturbTheCaller() {
		String result = this.template.execute(SIGNAL, (lock) -> {
			grant().lose();
			assertThat(lock.isValid()).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
	}

	@Test
	void signalLeavesAnExceptionOfTheBodyAlone() {
		assertThatThrownBy(() -> this.template.execute(SIGNAL, (lock) -> {
			grant().lose();
			throw new IOException("disk full");
		})).isInstanceOf(IOException.class).hasNoSuppressedExceptions();
	}

	@Test
	void aLossThatTheReleaseFindsIsReported() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.template.executeWithoutResult(FAIL, (lock) -> grant().whenReleased(grant()::noticeLoss)));
	}

	@Test
	void aLossWhoseNewsIsStillOnItsWayIsReported() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(FAIL, (lock) -> grant().noticeLoss()));
	}

	@Test
	void aHandleOfItsOwnTellsOnlyByItself() {
		LockHandle handle = this.template.acquire(FAIL);
		grant().lose();
		assertThat(handle.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::verify);
		handle.close();
	}

	@Test
	void interruptOfAVerificationByTheLossIsTheLoss() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT, (lock) -> {
				grant().whenVerified(() -> {
					grant().lose();
					assertThat(Thread.currentThread().isInterrupted()).isTrue();
					throw new LockInterruptedException("interrupted", lock.id(), Duration.ZERO, null);
				});
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::verify);
				assertThat(Thread.currentThread().isInterrupted()).as("flag of the body").isTrue();
			}));
	}

	@Test
	void interruptOfAVerificationBySomethingElseIsAnInterrupt() {
		this.template.executeWithoutResult(INTERRUPT, (lock) -> {
			grant().whenVerified(() -> {
				throw new LockInterruptedException("interrupted", lock.id(), Duration.ZERO, null);
			});
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(lock::verify);
		});
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void interruptReachesABodyThatWaits() throws Exception {
		CountDownLatch waiting = new CountDownLatch(1);
		Background<Boolean> body = Background.start(() -> {
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> this.template.execute(INTERRUPT, (lock) -> {
					waiting.countDown();
					return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
				}))
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
			return Thread.currentThread().isInterrupted();
		});
		waiting.await();
		long lostAt = System.nanoTime();
		grant().lose();
		assertThat(body.join()).as("flag after the body").isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - lostAt)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void interruptLeavesNoFlagWhenTheBodyIgnoresIt() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT, (lock) -> {
				grant().lose();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}));
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIL", "SIGNAL" })
	void otherPoliciesDoNotInterrupt(LossPolicy policy) {
		try (LockHandle handle = this.template.acquire(FAIL.withOnLoss(policy))) {
			grant().lose();
			assertThat(handle.isValid()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void anInterruptFromElsewhereIsKept() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(FAIL, (lock) -> {
				grant().lose();
				Thread.currentThread().interrupt();
			}));
		assertThat(Leftovers.takeInterrupt()).isTrue();
	}

	@Test
	void anInterruptOfSomebodyElseIsKeptWithoutALoss() {
		this.template.executeWithoutResult(INTERRUPT, (lock) -> Thread.currentThread().interrupt());
		assertThat(Leftovers.takeInterrupt()).isTrue();
	}

	@Test
	void interruptLeavesNoFlagWhenTheLossActionClosesTheHandle() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT, (lock) -> {
				lock.onLoss(lock::close);
				Background.start(() -> {
					grant().lose();
					return true;
				});
				Spin.until(() -> this.provider.openGrants() == 0);
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}));
		assertThat(Leftovers.takeInterrupt()).isFalse();
	}

	@Test
	void interruptReachesTheOuterBodyAfterTheInnerOneHasLeft() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT, (outer) -> {
				LockHandle inner = this.template.acquire(INTERRUPT);
				grant().lose();
				inner.close();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}));
	}

	@Test
	void interruptReachesTheBodyOfEachOfTwoLocks() {
		LockRequest stock = LockRequest.exclusive("stock").withOnLoss(LossPolicy.INTERRUPT);
		LockHandle outer = this.template.acquire(INTERRUPT);
		LockHandle inner = this.template.acquire(stock);
		this.provider.attempts().forEach((attempt) -> attempt.granted().lose());
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatTheInnerBodyHasConsumedIsNotRepeated() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT, (outer) -> {
				LockHandle inner = this.template.acquire(INTERRUPT);
				grant().lose();
				assertThat(Thread.interrupted()).isTrue();
				inner.close();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			}));
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void noThreadIsInterruptedAfterTheBody() {
		LockHandle kept = this.template.acquire(FAIL);
		this.template.executeWithoutResult(INTERRUPT, (lock) -> assertThat(lock.isValid()).isTrue());
		grant().lose();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		kept.close();
	}

	@Test
	void theInnerPolicyCountsForTheInnerBody() {
		boolean told = this.template.execute(SIGNAL, (outer) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.executeWithoutResult(FAIL, (inner) -> grant().lose()));
			return true;
		});
		assertThat(told).isTrue();
	}

	@Test
	void theOuterPolicyCountsForTheOuterBody() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.executeWithoutResult(FAIL,
				(outer) -> this.template.executeWithoutResult(SIGNAL, (inner) -> grant().lose())));
	}

	@Test
	void theInnerPolicyMayInterruptWhenTheOuterDoesNot() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(FAIL, (outer) -> {
				LockHandle inner = this.template.acquire(INTERRUPT);
				grant().lose();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
				inner.close();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			}));
	}

	@Test
	void anActionForTheLossRunsOnce() {
		AtomicInteger runs = new AtomicInteger();
		try (LockHandle handle = this.template.acquire(FAIL)) {
			handle.onLoss(runs::incrementAndGet);
			assertThat(runs).hasValue(0);
			grant().lose();
			grant().lose();
			assertThat(runs).hasValue(1);
		}
		assertThat(runs).hasValue(1);
	}

	@Test
	void anActionRunsAtOnceWhenTheLockIsLostAlready() {
		AtomicInteger runs = new AtomicInteger();
		try (LockHandle handle = this.template.acquire(FAIL)) {
			grant().lose();
			handle.onLoss(runs::incrementAndGet);
			assertThat(runs).hasValue(1);
		}
	}

	@Test
	void anActionDoesNotRunAfterItsHandleIsClosed() {
		AtomicInteger inner = new AtomicInteger();
		AtomicInteger outer = new AtomicInteger();
		try (LockHandle handle = this.template.acquire(FAIL)) {
			LockHandle joined = this.template.acquire(FAIL);
			joined.onLoss(inner::incrementAndGet);
			handle.onLoss(outer::incrementAndGet);
			joined.close();
			grant().lose();
			joined.onLoss(inner::incrementAndGet);
		}
		assertThat(inner).hasValue(0);
		assertThat(outer).hasValue(1);
	}

	@Test
	void theBodyIsInterruptedBeforeItsActionsRun() {
		try (LockHandle handle = this.template.acquire(INTERRUPT)) {
			AtomicInteger interrupted = new AtomicInteger();
			handle.onLoss(() -> interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0));
			grant().lose();
			assertThat(interrupted).hasValue(1);
		}
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void aGrantThatIsLostAlreadyIsReported() {
		this.provider.answers((attempt) -> {
			attempt.granted().lose();
			attempt.grant();
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(INTERRUPT.withWaitTime(Duration.ofMillis(30)),
					(lock) -> assertThat(Thread.currentThread().isInterrupted()).isTrue()));
	}

	@Test
	void aGrantThatIsLostBeforeTheBodyBeginsIsNoGrant() {
		this.provider.answers((attempt) -> {
			if (this.provider.attempts().size() == 1) {
				attempt.granted().lose();
			}
			attempt.grant();
		});
		long token = this.template.execute(FAIL, LockHandle::fencingToken);
		assertThat(token).isEqualTo(this.provider.attempts().get(1).granted().fencingToken());
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void lostGrantsAreNoAnswerWhileThereIsWaitTime() {
		this.provider.answers((attempt) -> {
			if (this.provider.attempts().size() < 7) {
				attempt.granted().lose();
			}
			attempt.grant();
		});
		assertThat(this.template.<Boolean, RuntimeException>execute(FAIL, LockHandle::isValid)).isTrue();
		assertThat(this.provider.attempts()).hasSize(7);
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void aLossOfOneLockIsNoLossOfAnother() {
		List<String> results = this.template.execute(FAIL, (outer) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.executeWithoutResult(LockRequest.exclusive("stock"),
						(inner) -> this.provider.attempts().get(1).granted().lose()));
			return List.of("done");
		});
		assertThat(results).containsExactly("done");
	}

}
