package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the stop of an instance whose locks the servers keep, or may keep.
 */
@Timeout(30)
class LockTemplateOutlastingTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final LockRequest KEPT = LockRequest.exclusive("settlement").withMinHold(LONG);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

	private final CompletableFuture<Boolean> outlasts = new CompletableFuture<>();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of(new LockListener() {

				@Override
				public void onKept(LockHandle handle, Duration held) {
					LockTemplateOutlastingTests.this.news.add("kept");
				}

				@Override
				public void onReleased(LockHandle handle, Duration held) {
					LockTemplateOutlastingTests.this.news.add("released");
				}

			}));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		this.heldLocks.releaseKept();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void grantIsToldTheRestOfTheTime() {
		endHold();
		assertThat(this.provider.onlyGrant().keptFor()).isBetween(LONG.minus(Duration.ofSeconds(20)), LONG);
		assertThat(this.provider.onlyGrant().releases()).isZero();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void lockThatTheServersKeepIsLeftToThem() throws Exception {
		endHold();
		this.outlasts.complete(true);
		this.heldLocks.leaveKept(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		this.heldLocks.keepNone();
		assertThat(this.provider.onlyGrant().releases()).isZero();
		assertThat(this.news).containsExactly("kept");
	}

	@Test
	void stopWaitsForTheAnswerOfTheServers() throws Exception {
		endHold();
		this.heldLocks.leaveKept(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isFalse();
		this.outlasts.complete(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		assertThat(this.provider.onlyGrant().releases()).isZero();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.ANSWERS_ARE_MISSING)
	void stopWithoutAnAnswerReleasesNothing() throws Exception {
		endHold();
		this.heldLocks.leaveKept(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(1))).isFalse();
		this.heldLocks.keepNone();
		assertThat(this.provider.onlyGrant().releases()).isZero();
		assertThat(this.heldLocks.held()).hasSize(1);
	}

	@Test
	void lockThatTheServersDoNotKeepIsReleased() {
		endHold();
		this.heldLocks.leaveKept(true);
		this.outlasts.complete(false);
		await().untilAsserted(() -> assertThat(this.news).containsExactly("kept", "released"));
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void lockThatTheServersDoNotKeepCanBeWaitedFor() throws Exception {
		endHold();
		this.outlasts.complete(false);
		this.heldLocks.leaveKept(false);
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(1))).isFalse();
		assertThat(this.provider.openGrants()).isOne();
	}

	@Test
	void holdThatEndsWhileTheInstanceStopsIsLeftToo() throws Exception {
		LockHandle handle = acquire();
		this.heldLocks.leaveKept(true);
		this.outlasts.complete(true);
		handle.close();
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		assertThat(this.provider.onlyGrant().releases()).isZero();
		assertThat(this.news).containsExactly("kept");
	}

	@Test
	void instanceThatStartsAgainKeepsLocksItself() throws Exception {
		this.heldLocks.leaveKept(true);
		this.heldLocks.start();
		this.outlasts.complete(true);
		endHold();
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(1))).isFalse();
		assertThat(this.heldLocks.held()).hasSize(1);
	}

	private void endHold() {
		acquire().close();
		assertThat(this.news).containsExactly("kept");
	}

	private LockHandle acquire() {
		LockHandle handle = this.template.acquire(KEPT);
		ScriptedGrant grant = this.provider.onlyGrant();
		grant.keeps(this.outlasts);
		return handle;
	}

}
