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
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the stop of an instance whose locks the servers keep, or may keep.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateOutlastingTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final LockRequest KEPT = LockRequest.exclusive("settlement").withMinHold(LONG);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final MovedTime time = new MovedTime();

	private final HeldLocks heldLocks = new HeldLocks(this.time);

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

				@Override
				public void onLost(LockHandle handle) {
					LockTemplateOutlastingTests.this.news.add("lost");
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
		LockHandle handle = acquire();
		this.time.advance(Duration.ofMinutes(3));
		handle.close();
		assertThat(this.provider.onlyGrant().keptFor()).isEqualTo(LONG.minusMinutes(3));
		assertThat(this.provider.onlyGrant().releases()).isZero();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void lockThatTheServersKeepIsLeftToThem() throws Exception {
		endHold();
		this.outlasts.complete(true);
		assertThat(this.heldLocks.left()).isEmpty();
		this.heldLocks.leaveKept(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		this.heldLocks.keepNone();
		assertThat(this.heldLocks.left()).extracting(LockSnapshot::id).containsExactly(KEPT.id());
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
		assertThat(this.heldLocks.left()).isEmpty();
		assertThat(this.provider.onlyGrant().releases()).isZero();
		assertThat(this.heldLocks.held()).hasSize(1);
	}

	@Test
	void lockThatTheServersDoNotKeepIsReleased() {
		endHold();
		this.heldLocks.leaveKept(true);
		this.outlasts.complete(false);
		assertThat(this.news).containsExactly("kept", "released");
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

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void lockThatWasLeftIsReleasedInTimeByTheInstanceThatStartsAgain() throws Exception {
		endHold();
		this.outlasts.complete(true);
		this.heldLocks.leaveKept(true);
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		this.time.advance(Duration.ofMinutes(3));
		this.heldLocks.start();
		this.time.advance(LONG.minusMinutes(3).minusNanos(1));
		assertThat(this.provider.openGrants()).isOne();
		this.time.advance(Duration.ofNanos(1));
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.news).containsExactly("kept", "released");
	}

	@Test
	void lockThatWasLeftAndIsLostIsReleased() {
		endHold();
		this.outlasts.complete(true);
		this.heldLocks.leaveKept(true);
		this.provider.onlyGrant().lose();
		assertThat(this.provider.openGrants()).isZero();
	}

	/** An operator has freed it at another instance: an alarm would tell of no loss. */
	@Test
	void lockThatTheServersKeepAndThatIsFreedThereIsNotLost(CapturedOutput output) {
		endHold();
		this.outlasts.complete(true);
		this.provider.onlyGrant().lose();
		assertThat(this.news).containsExactly("kept", "released");
		assertThat(output)
			.contains("Lock settlement was freed before its minimum hold time was over, by an operator or in its store")
			.doesNotContain("Lost lock");
	}

	@Test
	void lockThatIsLostBeforeItIsKnownThatTheServersKeepItIsLost(CapturedOutput output) {
		endHold();
		this.provider.onlyGrant().lose();
		assertThat(this.news).containsExactly("kept", "lost", "released");
		assertThat(output).contains("Lost lock settlement before its minimum hold time was over");
	}

	@Test
	void answerAfterTheStartChangesNothing() throws Exception {
		endHold();
		this.heldLocks.leaveKept(true);
		this.heldLocks.start();
		this.outlasts.complete(false);
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(1))).isFalse();
		assertThat(this.provider.openGrants()).isOne();
	}

	@Test
	void providerThatFailsDoesNotKeepIt(CapturedOutput output) {
		this.outlasts.completeExceptionally(new IllegalStateException("Cannot keep it"));
		endHold();
		assertThat(this.provider.openGrants()).isOne();
		this.heldLocks.leaveKept(true);
		assertThat(this.provider.openGrants()).isZero();
		assertThat(output).contains("Lock settlement is kept for its minimum hold time only while this instance runs",
				"Cannot keep it");
	}

	@Test
	void providerThatThrowsDoesNotKeepIt(CapturedOutput output) {
		LockHandle handle = this.template.acquire(KEPT);
		this.provider.onlyGrant().keeps(null);
		handle.close();
		assertThat(this.provider.openGrants()).isOne();
		assertThat(this.news).containsExactly("kept");
		assertThat(output).contains("only while this instance runs");
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
