package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for how long {@link LockTemplate} waits for the answer to a release, and what it
 * makes of that answer.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try")
class LockTemplateReleaseTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private static final Duration FOREVER = Duration.ofMinutes(10);

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answers((attempt) -> {
		attempt.granted().answersNoRelease();
		attempt.grant();
	});

	private final List<String> told = new CopyOnWriteArrayList<>();

	private volatile Runnable onLost = () -> {
	};

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
	}

	private LockTemplate template(Duration releaseTimeout) {
		return new LockTemplate(this.provider,
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), releaseTimeout),
				new HeldLocks(), List.of(new LockListener() {
					@Override
					public void onLost(LockHandle handle) {
						LockTemplateReleaseTests.this.told.add("lost " + handle.state());
						LockTemplateReleaseTests.this.onLost.run();
					}

					@Override
					public void onReleased(LockHandle handle, Duration held) {
						LockTemplateReleaseTests.this.told.add("released " + handle.state());
					}
				}));
	}

	private ScriptedGrant grant() {
		return this.provider.onlyGrant();
	}

	@Test
	void aReleaseDoesNotWaitByDefault(CapturedOutput output) {
		assertThat(LockSettings.defaults().releaseTimeout()).isZero();
		assertThat(template(Duration.ZERO).<String, RuntimeException>execute(REQUEST, (lock) -> "done"))
			.isEqualTo("done");
		assertThat(grant().releases()).isEqualTo(1);
		assertThat(this.told).containsExactly("released RELEASED");
		assertThat(output).doesNotContain("was not released within");
	}

	@Test
	void aLossThatALateAnswerShowsIsToldToTheListenersOnly(CapturedOutput output) {
		AtomicInteger runs = new AtomicInteger();
		try (LockHandle handle = template(Duration.ZERO).acquire(REQUEST)) {
			handle.onLoss(runs::incrementAndGet);
		}
		grant().noticeLoss();
		grant().answerRelease();
		assertThat(this.told).containsExactly("released RELEASED", "lost LOST");
		assertThat(output).contains("Lost lock orders");
		assertThat(runs).as("actions after close").hasValue(0);
	}

	@Test
	void aLossThatTheAnswerShowsBeforeTheTimeoutReplacesTheResult() throws Exception {
		LockTemplate template = template(FOREVER);
		Background<Boolean> body = Background.start(() -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> template.executeWithoutResult(REQUEST, (lock) -> grant().noticeLossInRelease()));
			return true;
		});
		await().until(
				() -> !this.provider.attempts().isEmpty() && grant().isReleased() && grant().state() == LockState.LOST);
		assertThat(body.isRunning()).isTrue();
		grant().answerRelease();
		assertThat(body.join()).isTrue();
		assertThat(this.told).containsExactly("lost LOST", "released LOST");
	}

	@Test
	void anAnswerThatDoesNotComeIsWarnedOf(CapturedOutput output) {
		template(Duration.ofMillis(20)).acquire(REQUEST).close();
		assertThat(output).contains("Lock orders was not released within PT0.02S");
		assertThat(this.told).containsExactly("released RELEASED");
	}

	@Test
	void anInterruptDoesNotEndTheWaitAndIsKept() throws Exception {
		LockTemplate template = template(FOREVER);
		Background<Boolean> closing = Background.start(() -> {
			template.acquire(REQUEST).close();
			return Thread.currentThread().isInterrupted();
		});
		await().until(() -> !this.provider.attempts().isEmpty() && grant().isReleased());
		closing.interrupt();
		assertThat(closing.isRunning()).isTrue();
		grant().answerRelease();
		assertThat(closing.join()).as("flag").isTrue();
	}

	@Test
	void closeReturnsAfterTheLossWasTold() throws Exception {
		LockHandle handle = template(Duration.ZERO).acquire(REQUEST);
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		AtomicInteger done = new AtomicInteger();
		handle.onStateChange((state) -> {
			running.countDown();
			awaitQuietly(goOn);
			done.incrementAndGet();
		});
		Background<Boolean> loser = Background.start(() -> {
			grant().lose();
			return true;
		});
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		Thread closer = Thread.currentThread();
		CountDownLatch looking = new CountDownLatch(1);
		Background.start(() -> {
			looking.countDown();
			// The close waits for a second only.
			Spin.until(() -> grant().isReleased() && closer.getState() == Thread.State.TIMED_WAITING);
			goOn.countDown();
			return true;
		});
		assertThat(looking.await(10, TimeUnit.SECONDS)).isTrue();
		handle.close();
		assertThat(done).hasValue(1);
		assertThat(this.told).containsExactly("lost LOST", "released LOST");
		loser.join();
	}

	@Test
	void closeDoesNotWaitForAnActionForEver() throws Exception {
		LockHandle handle = template(Duration.ZERO).acquire(REQUEST);
		CountDownLatch closed = new CountDownLatch(1);
		CountDownLatch running = new CountDownLatch(1);
		handle.onLoss(() -> {
			running.countDown();
			awaitQuietly(closed);
		});
		Background<Boolean> loser = Background.start(() -> {
			grant().lose();
			return true;
		});
		assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
		long startedAt = System.nanoTime();
		handle.close();
		closed.countDown();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(6));
		loser.join();
	}

	@Test
	void closeDoesNotRunActionsForALossThatItFinds() {
		LockHandle handle = template(Duration.ZERO).acquire(REQUEST);
		ScriptedGrant grant = grant();
		CountDownLatch closed = new CountDownLatch(1);
		CompletableFuture<Thread> teller = new CompletableFuture<>();
		this.onLost = () -> {
			teller.complete(Thread.currentThread());
			awaitQuietly(closed);
		};
		grant.whenReleased(() -> {
			grant.noticeLoss();
			grant.answerRelease();
		});
		long startedAt = System.nanoTime();
		handle.close();
		closed.countDown();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(5));
		assertThat(teller).succeedsWithin(Duration.ofSeconds(10)).isNotSameAs(Thread.currentThread());
	}

	@Test
	void closeRunsNoActionsForALossThatItFindsIfNoThreadCanBeStarted() {
		LockHandle handle = template(Duration.ZERO).acquire(REQUEST);
		CompletableFuture<Thread> teller = new CompletableFuture<>();
		handle.onLoss(() -> teller.complete(Thread.currentThread()));
		this.onLost = () -> teller.complete(Thread.currentThread());
		ScriptedGrant grant = grant();
		grant.whenReleased(() -> {
			grant.noticeLoss();
			grant.answerRelease();
		});
		try (NoNewThreads noThreads = new NoNewThreads()) {
			handle.close();
		}
		// What asks for a thread next starts those that were missing.
		AsyncThreads.execute(() -> {
		});
		assertThat(teller).succeedsWithin(Duration.ofSeconds(10)).isNotSameAs(Thread.currentThread());
	}

	@Test
	void anActionThatClosesItsHandleDoesNotWaitForItself() {
		LockTemplate template = template(Duration.ZERO);
		List<Duration> times = new ArrayList<>();
		for (int round = 0; round < 3; round++) {
			LockHandle handle = template.acquire(REQUEST);
			ScriptedGrant grant = this.provider.attempts().get(round).granted();
			AtomicInteger runs = new AtomicInteger();
			LockHandle joined = LockContext.find(REQUEST.id()).orElseThrow();
			joined.onLoss(() -> {
				runs.incrementAndGet();
				handle.close();
			});
			long startedAt = System.nanoTime();
			grant.lose();
			times.add(Duration.ofNanos(System.nanoTime() - startedAt));
			assertThat(runs).hasValue(1);
			assertThat(handle.isLost()).isTrue();
		}
		// A thread may stand still, but one that waits for itself does so in each round.
		assertThat(Collections.min(times)).isLessThan(Duration.ofMillis(900));
	}

	@Test
	void aHandleTellsItsState() {
		LockHandle handle = template(Duration.ZERO).acquire(REQUEST);
		List<LockState> states = new CopyOnWriteArrayList<>();
		handle.onStateChange(states::add);
		assertThat(handle.state()).isEqualTo(LockState.VALID);
		grant().suspend();
		grant().tellState();
		assertThat(handle.state()).isEqualTo(LockState.UNCONFIRMED);
		grant().resume();
		grant().tellState();
		assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
		handle.close();
		assertThat(handle.state()).isEqualTo(LockState.RELEASED);
		assertThat(this.told).containsExactly("released RELEASED");
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
