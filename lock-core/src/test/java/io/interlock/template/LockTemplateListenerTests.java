package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockUpgradeException;
import io.interlock.LossPolicy;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what {@link LockTemplate} tells its {@link LockListener listeners}.
 */
class LockTemplateListenerTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withWaitTime(Duration.ofMillis(10));

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final List<String> told = new ArrayList<>();

	private final LockTemplate template = template(new Recorder("a"));

	private LockTemplate template(LockListener... listeners) {
		return new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(), List.of(listeners));
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void aLockIsWaitedForAcquiredAndReleased() {
		this.template.executeWithoutResult(REQUEST, (lock) -> this.told.add("body"));
		assertThat(this.told).containsExactly("a waiting", "a acquired", "body", "a released");
	}

	@Test
	void everyListenerIsToldInOrder() {
		template(new Recorder("a"), new Recorder("b")).acquire(REQUEST).close();
		assertThat(this.told).containsExactly("a waiting", "b waiting", "a acquired", "b acquired", "a released",
				"b released");
	}

	@Test
	void contentionIsToldOnce() {
		this.provider.answersNothing();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a not acquired");
	}

	@Test
	void contentionIsToldOfATryToo() {
		this.provider.answers(ScriptedAttempt::deny);
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.told).containsExactly("a waiting", "a not acquired");
	}

	@Test
	void contentionThatIsThrownIsToldAsAFailure() {
		this.provider.answers((attempt) -> attempt
			.fail(new LockNotAcquiredException("Held by pod 7", REQUEST.id(), Duration.ZERO, "pod 7")));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.tryAcquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a failed LockException");
	}

	@Test
	void anOutageIsAFailure() {
		this.provider.answers((attempt) -> attempt.at(Phase.CONNECTING));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a failed LockServiceUnavailableException");
	}

	@Test
	void anInterruptIsAFailure() {
		this.provider.answersNothing();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(Leftovers.takeInterrupt()).isTrue();
		assertThat(this.told).containsExactly("a waiting", "a failed LockInterruptedException");
	}

	@Test
	void aBrokenProviderIsAFailure() {
		this.provider.answers((attempt) -> {
			throw new IllegalStateException("broken");
		});
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a failed LockException");
	}

	@Test
	void aCancelledAttemptIsAFailure() {
		this.provider.answers((attempt) -> attempt.outcome().cancel(false));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a failed LockException");
	}

	@Test
	void aLossIsToldBeforeTheRelease() {
		this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.SIGNAL),
				(lock) -> this.provider.onlyGrant().lose());
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a lost", "a released");
	}

	@Test
	void aLossThatTheReleaseFindsIsToldBeforeTheRelease() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(REQUEST, (lock) -> {
				ScriptedGrant grant = this.provider.onlyGrant();
				grant.whenReleased(grant::noticeLoss);
			}));
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a lost", "a released");
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void anEndWhileTheConnectionIsSuspendedIsToldAndChangesNoResult() {
		String result = this.template.execute(REQUEST, (lock) -> {
			this.provider.onlyGrant().suspendCovered();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a unconfirmed", "a released");
	}

	@Test
	void anEndThatTheServersConfirmIsNotTold() {
		String result = this.template.execute(REQUEST, (lock) -> {
			this.provider.onlyGrant().suspend();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a released");
	}

	@Test
	void anEndThatNoServerConfirmsIsTold() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(REQUEST, (lock) -> {
				ScriptedGrant grant = this.provider.onlyGrant();
				grant.suspend();
				grant.whenVerified(() -> {
					throw new LockServiceUnavailableException("silent", lock.id(), Duration.ZERO, null);
				});
			}));
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a unconfirmed", "a released");
	}

	@Test
	void aGrantThatIsLostAlreadyIsToldAsAcquiredFirst() {
		this.provider.answers((attempt) -> {
			attempt.granted().lose();
			attempt.grant();
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.acquire(REQUEST));
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a lost", "a released");
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void aLossIsToldOnceForManyHandles() {
		LockHandle outer = this.template.acquire(REQUEST);
		LockHandle inner = this.template.acquire(REQUEST);
		this.provider.onlyGrant().lose();
		this.provider.onlyGrant().lose();
		inner.close();
		outer.close();
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a lost", "a released");
	}

	@Test
	void joiningIsNotTold() {
		this.template.executeWithoutResult(REQUEST, (outer) -> this.template.executeWithoutResult(REQUEST,
				(inner) -> assertThat(this.told).containsExactly("a waiting", "a acquired")));
		assertThat(this.told).containsExactly("a waiting", "a acquired", "a released");
	}

	@Test
	void aRefusedUpgradeIsNotTold() {
		try (LockHandle shared = this.template.acquire(LockRequest.shared("orders"))) {
			assertThat(shared.isValid()).isTrue();
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.template.acquire(REQUEST));
			assertThat(this.told).containsExactly("a waiting", "a acquired");
		}
	}

	@Test
	void aFailingReleaseIsToldAsReleased() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.provider.onlyGrant().whenReleased(() -> {
			throw new IllegalStateException("broken");
		});
		handle.close();
		assertThat(this.told).endsWith("a released");
	}

	@ParameterizedTest
	@MethodSource("failures")
	@ExtendWith(OutputCaptureExtension.class)
	void aFailingListenerBreaksNoLockAndKeepsNobodyFromBeingTold(Throwable failure, CapturedOutput output) {
		LockTemplate fragile = template(new Failing(failure), new Recorder("b"));
		String result = fragile.execute(REQUEST.withOnLoss(LossPolicy.SIGNAL), (lock) -> {
			this.provider.onlyGrant().lose();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.told).containsExactly("b waiting", "b acquired", "b lost", "b released");
		assertThat(output).contains("Lock listener failing listener failed; the lock is not affected");
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aFailingListenerDoesNotHideWhyThereIsNoLock(Throwable failure) {
		LockTemplate fragile = template(new Failing(failure), new Recorder("b"));
		this.provider.answers(ScriptedAttempt::deny);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> fragile.acquire(REQUEST));
		this.provider.answers((attempt) -> attempt.at(Phase.CREATING));
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> fragile.acquire(REQUEST));
		assertThat(this.told).containsExactly("b waiting", "b not acquired", "b waiting",
				"b failed LockServiceUnavailableException");
	}

	static Stream<Throwable> failures() {
		return Stream.of(new IllegalStateException("listener bug"), new NoClassDefFoundError("org/Missing"),
				new AssertionError("listener bug"));
	}

	@Test
	void theTimesAreThoseOfTheHold() {
		Times times = new Times();
		template(times).acquire(REQUEST).close();
		assertThat(times.waited).isBetween(Duration.ZERO, Duration.ofSeconds(5));
		assertThat(times.held).isBetween(Duration.ZERO, Duration.ofSeconds(5));
	}

	@Test
	void theRequestThatIsToldHasItsWaitTime() {
		List<LockRequest> requests = new ArrayList<>();
		template(new LockListener() {

			@Override
			public void onWaiting(LockRequest request) {
				requests.add(request);
			}

		}).acquire(LockRequest.exclusive("orders")).close();
		assertThat(requests).containsExactly(LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(10)));
	}

	@Test
	void aListenerMayUseLocks() {
		LockTemplate inner = new LockTemplate(new ScriptedLockProvider());
		template(new LockListener() {

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				inner.executeWithoutResult(REQUEST,
						(lock) -> LockTemplateListenerTests.this.told.add("inner " + lock.isValid()));
			}

		}).acquire(REQUEST).close();
		assertThat(this.told).containsExactly("inner true");
	}

	private final class Recorder implements LockListener {

		private final String name;

		Recorder(String name) {
			this.name = name;
		}

		private void tell(String what) {
			LockTemplateListenerTests.this.told.add(this.name + " " + what);
		}

		@Override
		public void onWaiting(LockRequest request) {
			tell("waiting");
		}

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			tell("acquired");
		}

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			tell("not acquired");
		}

		@Override
		public void onFailure(LockRequest request, LockException failure) {
			tell("failed " + failure.getClass().getSimpleName());
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			tell("released");
		}

		@Override
		public void onLost(LockHandle handle) {
			tell("lost");
		}

		@Override
		public void onUnconfirmed(LockHandle handle) {
			tell("unconfirmed");
		}

		@Override
		public void onOverdue(LockHandle handle, Duration held) {
			tell("overdue");
		}

	}

	private static final class Failing implements LockListener {

		private final Throwable failure;

		Failing(Throwable failure) {
			this.failure = failure;
		}

		private void fail() {
			if (this.failure instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) this.failure;
		}

		@Override
		public void onWaiting(LockRequest request) {
			fail();
		}

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			fail();
		}

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			fail();
		}

		@Override
		public void onFailure(LockRequest request, LockException failure) {
			fail();
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			fail();
		}

		@Override
		public void onLost(LockHandle handle) {
			fail();
		}

		@Override
		public String toString() {
			return "failing listener";
		}

	}

	private static final class Times implements LockListener {

		private Duration waited = Duration.ofMillis(-1);

		private Duration held = Duration.ofMillis(-1);

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			this.waited = waited;
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			this.held = held;
		}

	}

}
