package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that end together, one of which does not end at once: it keeps no other
 * of them held.
 */
@Timeout(60)
@SuppressWarnings("try")
class LockTemplateGroupReleaseTests {

	private static final LockRequest A = LockRequest.exclusive("accounts").withKey("a");

	private static final LockRequest B = LockRequest.exclusive("accounts").withKey("b");

	private static final LockRequest C = LockRequest.exclusive("accounts").withKey("c");

	private static final Duration FOREVER = Duration.ofMinutes(10);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private volatile Runnable onNews = () -> {
	};

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	private LockTemplate template(Duration releaseTimeout) {
		return new LockTemplate(this.provider,
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), releaseTimeout),
				this.heldLocks, List.of(new Recorder()));
	}

	private ScriptedGrant grant(LockRequest request) {
		return this.provider.attempts()
			.stream()
			.filter((attempt) -> attempt.request().id().equals(request.id()))
			.map(ScriptedAttempt::granted)
			.findFirst()
			.orElseThrow();
	}

	private boolean areReleased(LockRequest... requests) {
		return List.of(requests).stream().allMatch((request) -> grant(request).isReleased());
	}

	@Test
	void aLockWhoseReleaseIsNotAnsweredKeepsNoOtherHeld() throws Exception {
		LockTemplate template = template(FOREVER);
		CountDownLatch held = new CountDownLatch(1);
		Background<Boolean> closing = Background.start(() -> {
			try (LockHandles locks = template.acquireAll(List.of(A, B, C))) {
				grant(C).answersNoRelease();
				held.countDown();
				return locks.isValid();
			}
		});
		assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
		await().until(() -> areReleased(A, B, C));
		await().until(() -> this.heldLocks.held().size() == 1);
		assertThat(closing.isRunning()).isTrue();
		assertThat(this.told).isEmpty();
		grant(C).answerRelease();
		assertThat(closing.join()).isTrue();
		assertThat(this.told).containsExactly("released c", "released b", "released a");
	}

	@Test
	void itKeepsNoOtherHeldBehindABody() throws Exception {
		LockTemplate template = template(FOREVER);
		CountDownLatch held = new CountDownLatch(1);
		Background<Boolean> body = Background
			.start(() -> template.<Boolean, RuntimeException>executeAll(List.of(A, B, C), (locks) -> {
				grant(C).answersNoRelease();
				held.countDown();
				return locks.isValid();
			}));
		assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
		await().until(() -> areReleased(A, B, C));
		assertThat(body.isRunning()).isTrue();
		grant(C).answerRelease();
		assertThat(body.join()).isTrue();
		assertThat(this.told).containsExactly("released c", "released b", "released a");
	}

	@Test
	void manyReleasesThatAreNotAnsweredTakeOneTimeout() {
		Duration timeout = Duration.ofMillis(200);
		this.provider.answers((attempt) -> {
			attempt.granted().answersNoRelease();
			attempt.grant();
		});
		List<LockRequest> requests = IntStream.range(0, 40).mapToObj(A::withKey).toList();
		LockHandles locks = template(timeout).acquireAll(requests);
		long startedAt = System.nanoTime();
		locks.close();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(timeout, Duration.ofSeconds(4));
		assertThat(this.told).hasSize(40);
	}

	@Test
	void aLossIsToldWhileAnotherReleaseIsAwaited() throws Exception {
		LockTemplate template = template(FOREVER);
		CountDownLatch held = new CountDownLatch(1);
		Background<Boolean> closing = Background.start(() -> {
			try (LockHandles locks = template.acquireAll(List.of(A, C))) {
				grant(A).noticeLossInRelease();
				grant(C).answersNoRelease();
				held.countDown();
				return locks.isValid();
			}
		});
		assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
		await().until(() -> this.told.contains("lost a"));
		assertThat(closing.isRunning()).isTrue();
		grant(C).answerRelease();
		assertThat(closing.join()).isTrue();
		assertThat(this.told).containsExactly("lost a", "released c", "released a");
	}

	@Test
	void aLockInDoubtIsAskedForWhenTheOthersAreReleased() {
		LockTemplate template = template(Duration.ZERO);
		List<Boolean> othersAreReleased = new CopyOnWriteArrayList<>();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> template.executeAll(List.of(A, B, C), (locks) -> {
				grant(C).suspend();
				grant(C).whenVerified(() -> {
					othersAreReleased.add(areReleased(A, B));
					throw new IllegalStateException("no answer");
				});
				return true;
			}))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(C.id()));
		assertThat(othersAreReleased).containsExactly(true);
		assertThat(this.told).containsExactly("released c", "released b", "released a");
	}

	@Test
	void aListenerThatBlocksKeepsNoOtherHeld() {
		this.onNews = () -> Spin.until(() -> areReleased(A, B, C));
		template(Duration.ZERO).acquireAll(List.of(A, B, C)).close();
		assertThat(this.told).containsExactly("released c", "released b", "released a");
	}

	@Test
	void aListenerThatHearsOfAMinimumHoldKeepsNoOtherHeld() {
		this.onNews = () -> Spin.until(() -> areReleased(A, B));
		template(Duration.ZERO).acquireAll(List.of(A, B, C.withMinHold(FOREVER))).close();
		assertThat(this.told).containsExactly("kept c", "released b", "released a");
		this.onNews = () -> {
		};
		this.heldLocks.releaseKept();
	}

	@Test
	void anActionForALossThatBlocksKeepsNoOtherHeld() throws Exception {
		LockHandles locks = template(Duration.ZERO).acquireAll(List.of(A, B, C));
		Thread closer = Thread.currentThread();
		CountDownLatch running = new CountDownLatch(1);
		locks.handle(C.id()).onLoss(() -> {
			running.countDown();
			Spin.until(() -> areReleased(C) && closer.getState() == Thread.State.TIMED_WAITING);
			this.told.add("others are released: " + areReleased(A, B));
		});
		Background<Boolean> loser = Background.start(() -> {
			grant(C).lose();
			return true;
		});
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		locks.close();
		assertThat(loser.join()).isTrue();
		assertThat(this.told).containsExactly("lost c", "others are released: true", "released c", "released b",
				"released a");
	}

	@Test
	void aListenerThatBlocksKeepsNoOtherLockOfItsTransaction() {
		this.onNews = () -> Spin.until(() -> areReleased(A, B, C));
		LockTemplate template = template(Duration.ZERO);
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			List.of(A, B, C)
				.forEach((request) -> template
					.executeWithoutResult(request.withRelease(ReleasePolicy.AFTER_TRANSACTION), (lock) -> {
					}));
			assertThat(this.told).isEmpty();
			TransactionSynchronizationUtils.triggerAfterCompletion(0);
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
		assertThat(this.told).containsExactly("released a", "released b", "released c");
	}

	@Test
	void aListenerThatBlocksKeepsNoOtherLockHeldAtTheShutdown() throws Exception {
		this.onNews = () -> Spin.until(() -> areReleased(A, B, C));
		LockTemplate template = template(Duration.ZERO);
		List<LockHandle> handles = List.of(A, B, C).stream().map(template::acquire).toList();
		assertThat(this.heldLocks.awaitReleased(FOREVER)).isTrue();
		assertThat(this.told).containsExactlyInAnyOrder("released a", "released b", "released c");
		handles.forEach(LockHandle::close);
	}

	private final class Recorder implements LockListener {

		@Override
		public void onLost(LockHandle handle) {
			tell("lost", handle);
		}

		@Override
		public void onKept(LockHandle handle, Duration held) {
			LockTemplateGroupReleaseTests.this.onNews.run();
			tell("kept", handle);
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			LockTemplateGroupReleaseTests.this.onNews.run();
			tell("released", handle);
		}

		private void tell(String news, LockHandle handle) {
			LockTemplateGroupReleaseTests.this.told.add(news + " " + handle.id().key());
		}

	}

}
