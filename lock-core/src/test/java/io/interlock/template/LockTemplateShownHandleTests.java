package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.RevocationRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the handle that {@link LockTemplate} shows to its {@link LockListener
 * listeners}.
 */
class LockTemplateShownHandleTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private final HeldLocks heldLocks = new HeldLocks();

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.NONE)
	void closingItLetsNoSecondBodyIn() throws Exception {
		LockTemplate template = new LockTemplate(new InMemoryLockProvider(), LockSettings.defaults(), this.heldLocks,
				List.of(new Closing()));
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Callable<Void> sales = () -> {
			for (int i = 0; i < 50; i++) {
				template.executeWithoutResult(REQUEST, (lock) -> {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					askForRevocation();
					Thread.yield();
					assertThat(lock.isValid()).isTrue();
					inside.decrementAndGet();
				});
			}
			return null;
		};
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			for (var result : threads.invokeAll(List.of(sales, sales, sales, sales))) {
				result.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(most).hasValue(1);
	}

	@Test
	void closingItReleasesNothing() {
		ScriptedLockProvider provider = new ScriptedLockProvider();
		template(provider, new Closing()).executeWithoutResult(REQUEST, (lock) -> {
			askForRevocation();
			assertThat(provider.openGrants()).isEqualTo(1);
			assertThat(lock.isValid()).isTrue();
		});
		assertThat(provider.openGrants()).isZero();
	}

	@Test
	void closingItAfterALossOrALimitReleasesNothing() {
		ScriptedLockProvider provider = new ScriptedLockProvider();
		Closing listener = new Closing();
		template(provider, listener)
			.executeWithoutResult(REQUEST.withMaxHold(Duration.ofMillis(1)).withOnLoss(LossPolicy.SIGNAL), (lock) -> {
				await().until(() -> listener.overdue);
				ScriptedGrant grant = provider.onlyGrant();
				grant.lose();
				assertThat(provider.openGrants()).isEqualTo(1);
			});
		assertThat(provider.openGrants()).isZero();
	}

	@Test
	void itEndsWithTheLastHandleOfTheHold() {
		AtomicReference<LockHandle> shown = new AtomicReference<>();
		LockTemplate template = template(new ScriptedLockProvider(), new LockListener() {

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				shown.set(handle);
			}

		});
		LockHandle outer = template.acquire(REQUEST);
		LockHandle inner = template.acquire(REQUEST);
		outer.close();
		assertThat(shown.get().isValid()).isTrue();
		assertThat(shown.get().state()).isEqualTo(LockState.VALID);
		assertThat(shown.get().id()).isEqualTo(REQUEST.id());
		assertThat(shown.get().mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(shown.get().fencingToken()).isEqualTo(inner.fencingToken());
		inner.close();
		assertThat(shown.get().isValid()).isFalse();
		assertThat(shown.get().state()).isEqualTo(LockState.RELEASED);
		assertThatIllegalStateException().isThrownBy(shown.get()::verify);
	}

	@Test
	void itCannotBeDetached() {
		AtomicReference<LockHandle> shown = new AtomicReference<>();
		LockTemplate template = template(new ScriptedLockProvider(), new LockListener() {

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				shown.set(handle);
			}

		});
		template.executeWithoutResult(REQUEST, (lock) -> {
			assertThatIllegalStateException().isThrownBy(shown.get()::detach)
				.withMessage("Lock orders cannot be detached by a listener: "
						+ "its handle belongs to the caller that acquired it");
			assertThat(lock.isDetached()).isFalse();
		});
	}

	private LockTemplate template(ScriptedLockProvider provider, LockListener listener) {
		return new LockTemplate(provider, LockSettings.defaults(), this.heldLocks, List.of(listener));
	}

	private void askForRevocation() {
		this.heldLocks.requestRevocation((handle) -> handle.id().equals(REQUEST.id()),
				new RevocationRequest("'alice'", Instant.EPOCH));
	}

	/**
	 * Closes what it is shown, in every callback.
	 */
	private static final class Closing implements LockListener {

		private volatile boolean overdue;

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			handle.close();
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			handle.close();
		}

		@Override
		public void onLost(LockHandle handle) {
			handle.close();
		}

		@Override
		public void onUnconfirmed(LockHandle handle) {
			handle.close();
		}

		@Override
		public void onOverdue(LockHandle handle, Duration held) {
			handle.close();
			this.overdue = true;
		}

		@Override
		public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
			handle.close();
		}

	}

}
