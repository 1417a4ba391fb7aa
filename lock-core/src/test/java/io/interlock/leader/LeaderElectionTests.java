package io.interlock.leader;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElection} on a provider in memory.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionTests {

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

	/**
	 * What was told, in order: by listeners, by events, and by the release.
	 */
	private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

	private final LeaderElection elections = new LeaderElection(this.provider, (event) -> this.news.add("" + event));

	private final LeadershipListener listener = listener("");

	@AfterEach
	void stop() {
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();
		this.elections.stop(() -> stopped.complete(true));
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
		// Elections that a test has made itself may be at it still.
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
	}

	@Test
	void electionsOfOneNameAtTwoProvidersAreTwo() {
		ScriptedLockProvider billing = new ScriptedLockProvider().answersNothing();
		LeaderElection both = new LeaderElection((id) -> (id.provider() != null) ? billing : this.provider,
				(event) -> this.news.add("" + event));
		both.join("reports");
		Leadership there = both.join("reports", "billing", null);
		both.start();
		this.provider.awaitAttempt();
		billing.awaitAttempt().grant();
		await().until(there::isLeader);
		assertThat(both.leading()).containsOnlyKeys("reports@billing");
		assertThat(both.leading(null)).isEmpty();
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();
		both.stop(() -> stopped.complete(true));
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void contendsForTheLockOfTheElectionFromTheStartOn() {
		this.elections.join("billing");
		this.elections.join("reports");
		assertThat(this.provider.attempts()).isEmpty();
		this.elections.start();
		List<ScriptedAttempt> attempts = List.of(this.provider.awaitAttempt(), this.provider.awaitAttempt());
		assertThat(attempts).extracting((attempt) -> attempt.request().id())
			.containsExactlyInAnyOrder(new LockId("leader", "billing"), new LockId("leader", "reports"));
		assertThat(attempts).allSatisfy((attempt) -> {
			assertThat(attempt.request().mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(attempt.request().waitTime()).isEqualTo(LockRequest.FOREVER);
		});
	}

	@Test
	void leadsWhenTheLockIsGranted() throws Exception {
		this.elections.start();
		Leadership leadership = this.elections.join("billing", this.listener);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(leadership.isLeader()).isFalse();
		assertThatIllegalStateException().isThrownBy(leadership::token).withMessageContaining("'billing'");
		attempt.grant();
		assertNews("granted 101", "LeadershipGrantedEvent[name=billing, token=101]");
		assertThat(leadership.isLeader()).isTrue();
		assertThat(leadership.token()).isEqualTo(101);
		assertThat(this.elections.leading()).containsExactly(Map.entry("billing", 101L));
	}

	/**
	 * A timer needs a thread and memory.
	 */
	@Test
	void electionGoesOnThoughNoTimerCanBeStarted() throws Exception {
		AtomicInteger timers = new AtomicInteger();
		LeaderElection untimely = new LeaderElection(this.provider, (event) -> this.news.add("" + event)) {

			@Override
			void executeLater(Runnable step, long delayMillis) {
				timers.incrementAndGet();
				throw new InternalError("injected");
			}

		};
		untimely.start();
		Leadership leadership = untimely.join("billing");
		this.provider.awaitAttempt().fail(new IllegalStateException("no server"));
		this.provider.awaitAttempt().grant();
		await().until(leadership::isLeader);
		assertThat(timers).hasValue(1);
		leadership.close();
	}

	@Test
	void blankNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.elections.join(" "))
			.withMessage("'name' of an election must not be empty");
	}

	@Test
	void doesNotLeadWhileTheConnectionIsSuspended() throws Exception {
		Leadership leadership = lead("billing", this.listener);
		ScriptedAttempt attempt = this.provider.attempts().get(0);
		attempt.granted().suspend();
		assertThat(leadership.isLeader()).isFalse();
		assertThat(this.elections.leading()).isEmpty();
		attempt.granted().tellState();
		attempt.granted().resume();
		attempt.granted().tellState();
		assertThat(leadership.isLeader()).isTrue();
		leadership.close();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]");
		assertThat(this.provider.attempts()).hasSize(1);
	}

	@Test
	void grantThatIsNotConfirmedIsToldWhenItIs() throws Exception {
		this.elections.start();
		Leadership leadership = this.elections.join("billing", this.listener);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.granted().suspend();
		attempt.grant();
		await().until(() -> this.elections.refusal("billing") instanceof LockServiceUnavailableException);
		assertThat(leadership.isLeader()).isFalse();
		assertThat(this.news).isEmpty();
		attempt.granted().resume();
		attempt.granted().tellState();
		assertNews("granted 101", "LeadershipGrantedEvent[name=billing, token=101]");
	}

	@Test
	void lossIsToldBeforeTheNextAttemptBegins() throws Exception {
		List<Integer> attempts = new CopyOnWriteArrayList<>();
		Leadership leadership = lead("billing", new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				LeaderElectionTests.this.listener.onGranted(leadership);
			}

			@Override
			public void onRevoked(Leadership leadership) {
				assertThat(leadership.isLeader()).isFalse();
				attempts.add(LeaderElectionTests.this.provider.attempts().size());
				LeaderElectionTests.this.listener.onRevoked(leadership);
			}

		});
		this.provider.attempts().get(0).granted().lose();
		assertThat(leadership.isLeader()).isFalse();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]");
		ScriptedAttempt next = this.provider.awaitAttempt();
		assertThat(attempts).containsExactly(1);
		next.grant();
		assertNews("granted 102", "LeadershipGrantedEvent[name=billing, token=102]");
		assertThat(leadership.token()).isEqualTo(102);
		assertThat(leadership.isLeader()).isTrue();
	}

	@Test
	void closingIsToldBeforeTheLockIsReleased() throws Exception {
		Leadership leadership = lead("billing", this.listener);
		this.provider.onlyGrant().whenReleased(() -> this.news.add("released"));
		leadership.close();
		assertThat(leadership.isLeader()).isFalse();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]", "released");
		leadership.close();
		assertThat(this.elections.leading()).isEmpty();
	}

	@Test
	void closingGivesUpTheAttempt() {
		this.elections.start();
		Leadership leadership = this.elections.join("billing", this.listener);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		leadership.close();
		await().until(attempt::isAbandoned);
		assertThat(this.news).isEmpty();
	}

	@Test
	void grantThatComesFirstWhenTheAttemptIsGivenUpIsReleased() {
		this.elections.start();
		Leadership leadership = this.elections.join("billing", this.listener);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.whenAbandoned(attempt::grant);
		leadership.close();
		await().until(attempt.granted()::isReleased);
		assertThat(this.news).isEmpty();
	}

	@Test
	void electionCanBeJoinedAgain() throws Exception {
		lead("billing", this.listener).close();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]");
		Leadership again = this.elections.join("billing", this.listener);
		this.provider.awaitAttempt().grant();
		assertNews("granted 102", "LeadershipGrantedEvent[name=billing, token=102]");
		assertThat(again.isLeader()).isTrue();
	}

	@Test
	void leadershipsOfOneElectionShareItsLock() throws Exception {
		Leadership first = lead("billing", listener("first "));
		Leadership second = this.elections.join("billing", listener("second "));
		assertNews("second granted 101");
		assertThat(second.isLeader()).isTrue();
		first.close();
		assertNews("first revoked 101");
		assertThat(first.isLeader()).isFalse();
		assertThat(second.isLeader()).isTrue();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		second.close();
		assertNews("second revoked 101", "LeadershipRevokedEvent[name=billing, token=101]");
		await().until(this.provider.onlyGrant()::isReleased);
	}

	@Test
	void outageIsLoggedOnceAndAttemptsFollow(CapturedOutput output) throws Exception {
		this.elections.start();
		this.elections.join("billing", this.listener);
		for (int i = 0; i < 4; i++) {
			this.provider.awaitAttempt().fail(new IllegalStateException("no server"));
		}
		this.provider.awaitAttempt().grant();
		assertNews("granted 105", "LeadershipGrantedEvent[name=billing, token=105]");
		assertThat(StringUtils.countOccurrencesOf(output.getAll(), "Election 'billing' cannot be joined")).isEqualTo(1);
	}

	@Test
	void providerThatThrowsIsAskedAgain() throws Exception {
		AtomicInteger calls = new AtomicInteger();
		LeaderElection broken = new LeaderElection((request, owner) -> {
			if (calls.incrementAndGet() < 3) {
				throw new OutOfMemoryError("for once");
			}
			return this.provider.attempt(request, owner);
		}, (event) -> {
		});
		broken.start();
		broken.join("billing", this.listener);
		this.provider.awaitAttempt().grant();
		assertNews("granted 101");
		broken.stop();
		assertNews("revoked 101");
		await().until(this.provider.onlyGrant()::isReleased);
	}

	@Test
	void stopHandsOverAndStartContendsAgain() throws Exception {
		Leadership leadership = lead("billing", this.listener);
		this.provider.onlyGrant().whenReleased(() -> this.news.add("released"));
		this.elections.stop(() -> this.news.add("stopped"));
		assertThat(leadership.isLeader()).isFalse();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]", "released", "stopped");
		this.elections.start();
		this.provider.awaitAttempt().grant();
		assertNews("granted 102", "LeadershipGrantedEvent[name=billing, token=102]");
	}

	@Test
	void listenersRunOnAThreadThatBelongsToNoOtherCode() throws Exception {
		this.provider.answers(ScriptedAttempt::grant);
		this.elections.start();
		BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
		this.elections.join("billing", new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				threads.add(Thread.currentThread());
			}

			@Override
			public void onRevoked(Leadership leadership) {
				threads.add(Thread.currentThread());
			}

		});
		assertThat(threads.poll(10, TimeUnit.SECONDS)).isNotNull()
			.isNotSameAs(Thread.currentThread())
			.matches(Thread::isDaemon);
		this.provider.attempts().get(0).granted().lose();
		assertThat(threads.poll(10, TimeUnit.SECONDS)).isNotNull().isNotSameAs(Thread.currentThread());
	}

	@Test
	void listenerThatBlocksKeepsNeitherTheTruthNorOtherElectionsWaiting() throws Exception {
		CompletableFuture<Boolean> entered = new CompletableFuture<>();
		CompletableFuture<Boolean> goOn = new CompletableFuture<>();
		this.elections.start();
		Leadership blocked = this.elections.join("billing", new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				entered.complete(true);
				goOn.join();
			}

			@Override
			public void onRevoked(Leadership leadership) {
				LeaderElectionTests.this.listener.onRevoked(leadership);
			}

		});
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.grant();
		assertThat(entered).succeedsWithin(Duration.ofSeconds(10));
		assertThat(blocked.isLeader()).isTrue();
		attempt.granted().lose();
		assertThat(blocked.isLeader()).isFalse();
		this.elections.join("reports", this.listener);
		this.provider.awaitAttempt().grant();
		assertNews("granted 102", "LeadershipGrantedEvent[name=reports, token=102]");
		goOn.complete(true);
		assertNews("LeadershipGrantedEvent[name=billing, token=101]", "revoked 101");
	}

	@Test
	void listenerThatThrowsChangesNothing(CapturedOutput output) throws Exception {
		LeaderElection noisy = new LeaderElection(this.provider, (event) -> {
			this.news.add("" + event);
			throw new IllegalStateException("event");
		});
		noisy.start();
		Leadership leadership = noisy.join("billing", new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				throw new AssertionError("grant");
			}

			@Override
			public void onRevoked(Leadership leadership) {
				throw new AssertionError("revoke");
			}

		});
		this.provider.awaitAttempt().grant();
		assertNews("LeadershipGrantedEvent[name=billing, token=101]");
		assertThat(leadership.isLeader()).isTrue();
		leadership.close();
		assertNews("LeadershipRevokedEvent[name=billing, token=101]");
		await().until(this.provider.onlyGrant()::isReleased);
		assertThat(output).contains("A listener of election 'billing' failed");
	}

	@Test
	void threadThatCannotBeStartedLosesNoStep() throws Exception {
		AtomicInteger starts = new AtomicInteger();
		LeaderElection starved = new LeaderElection(this.provider, (event) -> {
		}, (step) -> {
			if (starts.incrementAndGet() % 2 == 1) {
				throw new RejectedExecutionException("no thread");
			}
			new Thread(step).start();
		});
		starved.start();
		Leadership leadership = starved.join("billing", this.listener);
		this.provider.awaitAttempt().grant();
		assertNews("granted 101");
		leadership.close();
		assertNews("revoked 101");
		await().until(this.provider.onlyGrant()::isReleased);
	}

	@Test
	void yieldGivesUpTheLockAndStandsAgainAfterThePause() throws Exception {
		CompletableFuture<Runnable> again = new CompletableFuture<>();
		LeaderElection timed = new LeaderElection(this.provider, (event) -> {
		}) {

			@Override
			void executeLater(Runnable step, long delayMillis) {
				assertThat(delayMillis).isEqualTo(60_000);
				again.complete(step);
			}

		};
		timed.start();
		Leadership leadership = timed.join("billing", this.listener);
		leadership.yield(Duration.ofMinutes(1));
		this.provider.awaitAttempt().grant();
		assertNews("granted 101");
		assertThat(leadership.isLeader()).isTrue();
		leadership.yield(Duration.ofMinutes(1));
		assertThat(leadership.isLeader()).isFalse();
		assertNews("revoked 101");
		assertThat(again).succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.provider.attempts()).hasSize(1);
		again.join().run();
		this.provider.awaitAttempt().grant();
		assertNews("granted 102");
		leadership.close();
		assertNews("revoked 102");
	}

	@Test
	void negativePauseIsRefused() {
		Leadership leadership = this.elections.join("billing");
		assertThatIllegalArgumentException().isThrownBy(() -> leadership.yield(Duration.ofMillis(-1)))
			.withMessage("'pause' must not be negative");
	}

	@Test
	void leadsOnlyWhileTheApplicationIsReady() throws Exception {
		this.elections.setReady(false);
		this.elections.start();
		Leadership leadership = this.elections.join("billing", this.listener);
		assertThat(this.provider.attempts()).isEmpty();
		this.elections.setReady(true);
		this.provider.awaitAttempt().grant();
		assertNews("granted 101", "LeadershipGrantedEvent[name=billing, token=101]");
		this.elections.setReady(false);
		assertThat(leadership.isLeader()).isFalse();
		assertNews("revoked 101", "LeadershipRevokedEvent[name=billing, token=101]");
		await().until(this.provider.onlyGrant()::isReleased);
	}

	@ParameterizedTest
	@ValueSource(strings = { "closed", "lost", "yielded", "not ready", "stopped" })
	void listenerThatWorksInItsCallbackIsInterruptedWhenTheTermIsOver(String end) throws Exception {
		CompletableFuture<Leadership> working = new CompletableFuture<>();
		this.elections.start();
		Leadership leadership = this.elections.join("billing", new LeadershipListener() {

			@Override
			public void onGranted(Leadership granted) {
				working.complete(granted);
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException ex) {
					LeaderElectionTests.this.news.add("interrupted");
				}
			}

			@Override
			public void onRevoked(Leadership revoked) {
				LeaderElectionTests.this.news.add("revoked, flag " + Thread.currentThread().isInterrupted());
			}

		});
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.grant();
		assertThat(working).succeedsWithin(Duration.ofSeconds(10));
		switch (end) {
			case "closed" -> leadership.close();
			case "lost" -> {
				attempt.granted().lose();
				attempt.granted().tellState();
			}
			case "yielded" -> leadership.yield(Duration.ofHours(1));
			case "not ready" -> this.elections.setReady(false);
			default -> this.elections.stop();
		}
		assertNews("interrupted", "LeadershipGrantedEvent[name=billing, token=101]", "revoked, flag false");
	}

	@Test
	void refusalSaysWhetherAnotherInstanceLeads() {
		this.elections.start();
		this.elections.join("billing");
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		await().untilAsserted(
				() -> assertThat(this.elections.refusal("billing")).isInstanceOf(LockNotAcquiredException.class)
					.hasMessageContaining("Another instance leads 'billing'"));
		attempt.at(Phase.CONNECTING);
		assertThat(this.elections.refusal("billing")).isInstanceOf(LockServiceUnavailableException.class)
			.hasMessageContaining("Which instance leads 'billing' is not known");
	}

	private Leadership lead(String name, LeadershipListener listener) throws Exception {
		this.elections.start();
		Leadership leadership = this.elections.join(name, listener);
		this.provider.awaitAttempt().grant();
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).endsWith("granted 101");
		assertNews("LeadershipGrantedEvent[name=%s, token=101]".formatted(name));
		return leadership;
	}

	private void assertNews(String... expected) throws Exception {
		for (String each : expected) {
			assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo(each);
		}
	}

	private LeadershipListener listener(String prefix) {
		return new LeadershipListener() {

			@Override
			public void onGranted(Leadership leadership) {
				LeaderElectionTests.this.news.add(prefix + "granted " + leadership.token());
			}

			@Override
			public void onRevoked(Leadership leadership) {
				LeaderElectionTests.this.news.add(prefix + "revoked " + leadership.token());
			}

		};
	}

}
