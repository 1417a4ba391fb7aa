package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks of several providers in one template.
 */
@Timeout(30)
@SuppressWarnings("try")
class LockTemplateNamedProviderTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ZERO);

	private static final LockRequest BILLED = ORDERS.withProvider("billing");

	private final InMemoryLockProvider byDefault = new InMemoryLockProvider();

	private final InMemoryLockProvider billing = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = template(this.billing);

	private LockTemplate template(LockProvider billing) {
		Map<String, LockProvider> named = Map.of("billing", billing, "audit", billing);
		QueueSettings queue = new QueueSettings(true, Map.of(), Duration.ofSeconds(1), 100, 100);
		return new LockTemplate(new QueueingLockProvider(this.byDefault, named, queue), LockSettings.defaults(),
				this.heldLocks, List.of());
	}

	@Test
	void sameNameAtAnotherProviderIsAnotherLock() throws Exception {
		try (LockHandle held = this.template.acquire(ORDERS)) {
			Background.run(() -> {
				try (LockHandle other = this.template.acquire(BILLED)) {
					assertThat(other.id()).isNotEqualTo(held.id()).hasToString("orders@billing");
				}
			});
		}
	}

	@Test
	void eachProviderExcludesItself() throws Exception {
		for (LockRequest request : List.of(ORDERS, BILLED)) {
			LockHandle held = this.template.acquire(request);
			Background.run(() -> assertThat(this.template.tryAcquire(request)).isEmpty());
			held.close();
			Background.run(() -> this.template.tryAcquire(request).orElseThrow().close());
		}
	}

	@Test
	void threadJoinsItsHoldOfOneProviderOnly() {
		try (LockHandle held = this.template.acquire(ORDERS);
				LockHandle billed = this.template.acquire(BILLED);
				LockHandle joined = this.template.acquire(BILLED)) {
			assertThat(this.byDefault.grants()).hasSize(1);
			assertThat(this.billing.grants()).hasSize(1);
			assertThat(joined.fencingToken()).isEqualTo(billed.fencingToken());
			assertThat(LockContext.find(BILLED).orElseThrow().id()).isEqualTo(billed.id());
			assertThat(LockContext.find(new LockId("orders", null)).orElseThrow().id()).isEqualTo(held.id());
			assertThat(LockContext.held()).hasSize(2);
		}
		assertThat(this.billing.grants()).isEmpty();
	}

	@Test
	void severalLocksComeFromSeveralProviders() {
		try (LockHandles handles = this.template.acquireAll(List.of(BILLED.withKey(1), ORDERS.withKey(1)))) {
			assertThat(handles.handle(BILLED.withKey(1).id()).isValid()).isTrue();
			assertThat(handles.handle(ORDERS.withKey(1).id()).isValid()).isTrue();
			assertThat(this.byDefault.grants()).hasSize(1);
			assertThat(this.billing.grants()).hasSize(1);
		}
	}

	@Test
	void circleOverTwoProvidersIsRefused() throws Exception {
		LockRequest orders = ORDERS.withWaitTime(LockRequest.FOREVER);
		LockRequest billed = BILLED.withWaitTime(LockRequest.FOREVER);
		LockHandle held = this.template.acquire(orders);
		Thread other = new Thread(() -> {
			try (LockHandle first = this.template.acquire(billed); LockHandle second = this.template.acquire(orders)) {
				assertThat(second.isValid() && first.isValid()).isTrue();
			}
		});
		other.start();
		await().until(() -> this.heldLocks.waiting().size() == 1);
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(billed))
			.withMessageContaining("Waiting for lock orders@billing would never end");
		held.close();
		other.join();
	}

	@Test
	void unknownProviderIsRefusedByEachWayToAsk() {
		LockRequest unknown = ORDERS.withProvider("biling");
		String message = "Lock provider 'biling' is not defined. Did you mean 'billing'? "
				+ "Defined besides the default one: [audit, billing]. To define a new one, set "
				+ "interlock.providers.<name>.provider.";
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquire(unknown)).withMessage(message);
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.tryAcquire(unknown)).withMessage(message);
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquireAsync(unknown)).withMessage(message);
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquireAll(List.of(ORDERS, unknown)))
			.withMessage(message);
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void unknownProviderThatIsLikeNoOtherOneIsToBeDefined() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquire(ORDERS.withProvider("shop")))
			.withMessage("Lock provider 'shop' is not defined: set interlock.providers.shop.provider. "
					+ "Defined besides the default one: [audit, billing].");
	}

	@Test
	void eachProviderHasCapabilitiesOfItsOwn() {
		LockTemplate limited = template(new LockProvider() {

			@Override
			public LockAttempt attempt(LockRequest request, LockCaller caller) {
				throw new AssertionError("not asked");
			}

			@Override
			public LockCapabilities capabilities() {
				return new LockCapabilities(false, false, false, false, false);
			}

		});
		limited.acquire(LockRequest.shared("orders")).close();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> limited.acquire(LockRequest.shared("orders").withProvider("billing")));
	}

}
