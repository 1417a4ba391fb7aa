package io.interlock.template;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockUpgradeException;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the re-entrance of {@link LockTemplate}.
 */
class LockTemplateReentranceTests {

	private static final LockRequest EXCLUSIVE = LockRequest.exclusive("orders").withKey(42);

	private static final LockRequest SHARED = LockRequest.shared("orders").withKey(42);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, SHARED", "SHARED, SHARED" })
	void theSameThreadSharesItsHold(LockMode outerMode, LockMode innerMode) {
		try (LockHandle outer = this.template.acquire(request(outerMode));
				LockHandle inner = this.template.acquire(request(innerMode))) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			assertThat(inner.acquiredAt()).isEqualTo(outer.acquiredAt());
			assertThat(inner.mode()).isEqualTo(outerMode);
			assertThat(inner.id()).isEqualTo(outer.id());
			assertThat(this.heldLocks.held()).hasSize(1);
		}
		assertThat(this.provider.attempts()).hasSize(1);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void anUpgradeIsRefusedAtOnce() {
		try (LockHandle shared = this.template.acquire(SHARED)) {
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> this.template.acquire(EXCLUSIVE.withWaitTime(LockRequest.FOREVER)))
				.withMessageContaining("orders[42]")
				.withMessageContaining("exclusively from the start")
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(shared.id()));
			assertThat(this.provider.attempts()).hasSize(1);
		}
	}

	@Test
	void anUpgradeIsRefusedByTryAcquireToo() {
		try (LockHandle shared = this.template.acquire(SHARED)) {
			assertThat(shared.mode()).isEqualTo(LockMode.SHARED);
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.template.tryAcquire(EXCLUSIVE));
		}
	}

	@Test
	void aRefusedUpgradeLeavesTheSharedHoldIntact() {
		try (LockHandle shared = this.template.acquire(SHARED)) {
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.template.acquire(EXCLUSIVE));
			assertThat(shared.isValid()).isTrue();
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
			assertThat(LockContext.current()).isSameAs(shared);
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, SHARED", "SHARED, SHARED", "SHARED, EXCLUSIVE" })
	void anotherThreadMakesAnAttemptOfItsOwn(LockMode outerMode, LockMode innerMode) throws Exception {
		try (LockHandle mine = this.template.acquire(request(outerMode))) {
			long other = Background.call(() -> {
				try (LockHandle handle = this.template.acquire(request(innerMode))) {
					return handle.fencingToken();
				}
			});
			assertThat(other).isNotEqualTo(mine.fencingToken());
		}
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, SHARED", "SHARED, SHARED", "SHARED, EXCLUSIVE" })
	void anotherTemplateOnTheSameThreadIsAnotherInstance(LockMode outerMode, LockMode innerMode) {
		LockTemplate other = new LockTemplate(this.provider);
		try (LockHandle mine = this.template.acquire(request(outerMode));
				LockHandle theirs = other.acquire(request(innerMode))) {
			assertThat(theirs.fencingToken()).isNotEqualTo(mine.fencingToken());
			assertThat(theirs.mode()).isEqualTo(innerMode);
		}
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@Test
	void anotherKeyIsAnotherLock() {
		try (LockHandle one = this.template.acquire(EXCLUSIVE);
				LockHandle other = this.template.acquire(EXCLUSIVE.withKey(43))) {
			assertThat(other.fencingToken()).isNotEqualTo(one.fencingToken());
		}
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@ParameterizedTest
	@MethodSource("orders")
	void theHoldEndsWithTheLastOfItsHandlesInAnyOrder(List<Integer> order) {
		List<LockHandle> handles = acquireThreeTimes();
		ScriptedGrant grant = this.provider.onlyGrant();
		for (int position = 0; position < order.size(); position++) {
			assertThat(grant.isReleased()).isFalse();
			handles.get(order.get(position)).close();
		}
		assertThat(grant.releases()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("orders")
	void theHoldEndsWithTheLastOfItsHandlesOnOtherThreads(List<Integer> order) throws Exception {
		List<LockHandle> handles = acquireThreeTimes();
		ScriptedGrant grant = this.provider.onlyGrant();
		for (int index : order) {
			assertThat(grant.isReleased()).isFalse();
			Background.run(handles.get(index)::close);
		}
		assertThat(grant.releases()).isEqualTo(1);
	}

	static List<List<Integer>> orders() {
		return List.of(List.of(0, 1, 2), List.of(0, 2, 1), List.of(1, 0, 2), List.of(1, 2, 0), List.of(2, 0, 1),
				List.of(2, 1, 0));
	}

	private List<LockHandle> acquireThreeTimes() {
		return List.of(this.template.acquire(EXCLUSIVE), this.template.acquire(SHARED),
				this.template.acquire(EXCLUSIVE));
	}

	@Test
	void closingAHandleTwiceDoesNotEndTheHoldOfTheOther() {
		LockHandle outer = this.template.acquire(EXCLUSIVE);
		LockHandle inner = this.template.acquire(EXCLUSIVE);
		inner.close();
		inner.close();
		inner.close();
		assertThat(outer.isValid()).isTrue();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		outer.close();
		outer.close();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aClosedHandleIsNotValidWhileTheHoldGoesOn() {
		try (LockHandle outer = this.template.acquire(EXCLUSIVE)) {
			LockHandle inner = this.template.acquire(EXCLUSIVE);
			inner.close();
			assertThat(inner.isValid()).isFalse();
			assertThat(outer.isValid()).isTrue();
		}
	}

	@Test
	void aClosedHandleCannotBeVerified() {
		try (LockHandle outer = this.template.acquire(EXCLUSIVE)) {
			LockHandle inner = this.template.acquire(EXCLUSIVE);
			inner.close();
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(inner::verify)
				.withMessage("Lock orders[42] was released through this handle already");
			outer.verify();
		}
	}

	@Test
	void aHandleAnswersForItsGrant() {
		try (LockHandle handle = this.template.acquire(EXCLUSIVE)) {
			ScriptedGrant grant = this.provider.onlyGrant();
			assertThat(handle.contended()).isEqualTo(grant.contended());
			assertThat(handle.fencingToken()).isEqualTo(grant.fencingToken());
			assertThat(handle).hasToString("LockHandle[EXCLUSIVE orders[42], token=101, valid=true]");
			grant.suspend();
			assertThat(handle.isValid()).isFalse();
		}
	}

	@Test
	void manyThreadsMayCloseTheHandlesOfOneHold() throws Exception {
		List<LockHandle> handles = new ArrayList<>(
				IntStream.range(0, 64).mapToObj((i) -> this.template.acquire(EXCLUSIVE)).toList());
		Collections.shuffle(handles);
		List<Background<Boolean>> closers = handles.stream().map((handle) -> Background.start(() -> {
			handle.close();
			return true;
		})).toList();
		for (Background<Boolean> closer : closers) {
			closer.join();
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void theThreadForgetsAHoldThatAnotherThreadHasEnded() throws Exception {
		LockHandle handle = this.template.acquire(EXCLUSIVE);
		Background.run(handle::close);
		assertThat(LockContext.find(handle.id())).isEmpty();
		try (LockHandle again = this.template.acquire(EXCLUSIVE)) {
			assertThat(again.fencingToken()).isNotEqualTo(handle.fencingToken());
		}
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@Test
	void aSharedHoldThatAnotherThreadHasEndedIsNoReasonToRefuse() throws Exception {
		LockHandle shared = this.template.acquire(SHARED);
		Background.run(shared::close);
		try (LockHandle exclusive = this.template.acquire(EXCLUSIVE)) {
			assertThat(exclusive.mode()).isEqualTo(LockMode.EXCLUSIVE);
		}
	}

	@Test
	void aReleasedHoldIsAcquiredAnew() {
		this.template.acquire(EXCLUSIVE).close();
		this.template.acquire(EXCLUSIVE).close();
		assertThat(this.provider.attempts()).hasSize(2);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_LOCK_IS_LOST)
	void aLostHoldIsNotJoined() {
		try (LockHandle outer = this.template.acquire(EXCLUSIVE)) {
			this.provider.onlyGrant().lose();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.acquire(EXCLUSIVE))
				.withMessageContaining("orders[42]")
				.withMessageContaining("token 101");
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
			assertThat(outer.isValid()).isFalse();
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void nobodyJoinsAHoldWhoseLossIsStillBeingTold() {
		try (LockHandle outer = this.template.acquire(EXCLUSIVE)) {
			this.provider.onlyGrant().noticeLoss();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.tryAcquire(EXCLUSIVE));
			assertThat(outer.isValid()).isFalse();
		}
	}

	@Test
	void aLostHoldIsForgottenOnceItIsClosed() {
		LockHandle lost = this.template.acquire(EXCLUSIVE);
		this.provider.onlyGrant().lose();
		lost.close();
		try (LockHandle again = this.template.acquire(EXCLUSIVE)) {
			assertThat(again.isValid()).isTrue();
		}
	}

	@Test
	void callbacksNest() {
		long token = this.template.execute(EXCLUSIVE,
				(outer) -> this.template.execute(SHARED, (inner) -> inner.fencingToken() - outer.fencingToken()));
		assertThat(token).isZero();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void anInnerCallThatIsTriedJoinsToo() {
		Optional<Long> token = this.template.execute(EXCLUSIVE,
				(outer) -> this.template.tryAcquire(SHARED).map((inner) -> {
					inner.close();
					return inner.fencingToken();
				}));
		assertThat(token).contains(101L);
		assertThat(this.provider.attempts()).hasSize(1);
	}

	@Test
	void anExceptionOfAnInnerBodyDoesNotEndTheOuterHold() {
		this.template.executeWithoutResult(EXCLUSIVE, (outer) -> {
			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> this.template.executeWithoutResult(EXCLUSIVE, (inner) -> {
					throw new UnsupportedOperationException();
				}));
			assertThat(outer.isValid()).isTrue();
		});
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	private static LockRequest request(LockMode mode) {
		return (mode == LockMode.EXCLUSIVE) ? EXCLUSIVE : SHARED;
	}

}
