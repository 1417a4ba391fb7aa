package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.memory.InMemoryLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for requests to give a lock up, as the holders of a {@link LockTemplate} hear of
 * them.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateRevocationTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withWaitTime(Duration.ofMillis(10));

	private static final RevocationRequest ALICE = new RevocationRequest("'alice'", Instant.EPOCH);

	private static final RevocationRequest BOB = new RevocationRequest("'bob'", Instant.EPOCH);

	private final List<String> told = new ArrayList<>();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(new InMemoryLockProvider(), LockSettings.defaults(),
			this.heldLocks, List.of(new LockListener() {

				@Override
				public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
					LockTemplateRevocationTests.this.told.add("listener: " + request.requestedBy());
				}

			}));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	@Test
	void holderIsToldAndKeepsTheLock(CapturedOutput output) {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			lock.onRevocationRequested((request) -> this.told.add("holder: " + request.requestedBy()));
			assertThat(ask(ALICE)).isEqualTo(1);
			assertThat(this.told).containsExactly("holder: 'alice'", "listener: 'alice'");
			assertThat(lock.isValid()).isTrue();
		});
		assertThat(output).contains("'alice' asks to give up lock orders", "It stays held");
	}

	@Test
	void whoListensLateIsToldAtOnce() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			ask(ALICE);
			ask(BOB);
			LockContext.current().onRevocationRequested((request) -> this.told.add(request.requestedBy()));
		});
		assertThat(this.told).containsExactly("listener: 'alice'", "listener: 'bob'", "'alice'");
	}

	@Test
	void actionRunsOnceAndListenersHearOfEachRequest() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			lock.onRevocationRequested((request) -> this.told.add("holder: " + request.requestedBy()));
			ask(ALICE);
			ask(BOB);
		});
		assertThat(this.told).containsExactly("holder: 'alice'", "listener: 'alice'", "listener: 'bob'");
	}

	@Test
	void whoHasLeftIsNotTold() {
		try (LockHandle outer = this.template.acquire(REQUEST)) {
			LockHandle inner = this.template.acquire(REQUEST);
			inner.onRevocationRequested((request) -> this.told.add("inner"));
			outer.onRevocationRequested((request) -> this.told.add("outer"));
			inner.close();
			ask(ALICE);
		}
		assertThat(ask(BOB)).isZero();
		assertThat(this.told).containsExactly("outer", "listener: 'alice'");
	}

	@Test
	void othersAreNotAsked() {
		try (LockHandle lock = this.template.acquire(REQUEST)) {
			lock.onRevocationRequested((request) -> this.told.add("holder"));
			assertThat(this.heldLocks.requestRevocation((handle) -> false, ALICE)).isZero();
		}
		assertThat(this.told).isEmpty();
	}

	@Test
	void actionThatFailsKeepsNobodyFromBeingTold() {
		try (LockHandle lock = this.template.acquire(REQUEST)) {
			lock.onRevocationRequested((request) -> {
				throw new IllegalStateException("broken");
			});
			lock.onRevocationRequested((request) -> this.told.add("second"));
			ask(ALICE);
		}
		assertThat(this.told).containsExactly("second", "listener: 'alice'");
	}

	private int ask(RevocationRequest request) {
		return this.heldLocks.requestRevocation((handle) -> handle.id().equals(REQUEST.id()), request);
	}

}
