package io.interlock.autoconfigure.leader;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderOnly} on methods whose work goes on after they have returned.
 */
class DeferredLeaderMethodTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final InMemoryLockProvider store = new InMemoryLockProvider();

	private final LockGrant otherLeader = lead();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LeaderElectionAutoConfiguration.class))
		.withBean(LockProvider.class, () -> this.store)
		.withBean(Jobs.class);

	private LockGrant lead() {
		return this.store.attempt(LockRequest.exclusive("leader").withKey("billing"), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
	}

	@Test
	void aPublisherAsksAtEachSubscription() {
		this.contextRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			Mono<String> mono = jobs.mono();
			Flux<String> flux = jobs.flux();
			Mono<String> locked = jobs.locked();
			assertThat(mono.blockOptional(LONG)).isEmpty();
			assertThat(flux.collectList().block(LONG)).isEmpty();
			assertThat(locked.blockOptional(LONG)).isEmpty();
			assertThat(jobs.calls()).isZero();
			takeOver(context.getBean(LeaderElection.class));
			assertThat(mono.block(LONG)).isEqualTo("mono");
			assertThat(mono.block(LONG)).isEqualTo("mono");
			assertThat(flux.collectList().block(LONG)).isEqualTo(List.of("one", "two"));
			assertThat(locked.block(LONG)).isEqualTo("locked");
			assertThat(jobs.calls()).isEqualTo(4);
		});
	}

	@Test
	void aFutureIsCompleteWhereThisInstanceDoesNotLead() {
		this.contextRunner.withUserConfiguration(Executors.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.future()).isCompletedWithValue(null);
			assertThat(jobs.stage().toCompletableFuture()).isCompletedWithValue(null);
			assertThat(jobs.async()).succeedsWithin(LONG).isNull();
			assertThat(jobs.calls()).isZero();
			takeOver(context.getBean(LeaderElection.class));
			assertThat(jobs.future()).isCompletedWithValue("future");
			assertThat(jobs.stage().toCompletableFuture()).isCompletedWithValue("stage");
			assertThat(jobs.async()).succeedsWithin(LONG).isEqualTo("async");
		});
	}

	@Test
	void aRefusalIsInTheResult() {
		this.contextRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			Mono<String> mono = jobs.monoOrFail();
			await().untilAsserted(
					() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> mono.block(LONG)));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> jobs.futureOrFail().join())
				.withCauseInstanceOf(LockNotAcquiredException.class);
			takeOver(context.getBean(LeaderElection.class));
			assertThat(mono.block(LONG)).isEqualTo("mono");
		});
	}

	@Test
	void aScheduledMonoRunsOnceThisInstanceLeads() {
		this.contextRunner.withUserConfiguration(Executors.class).withBean(ScheduledJob.class).run((context) -> {
			ScheduledJob job = context.getBean(ScheduledJob.class);
			await().atMost(LONG).until(() -> job.fired() > 0);
			assertThat(job.runs()).isZero();
			takeOver(context.getBean(LeaderElection.class));
			await().atMost(LONG).until(() -> job.runs() > 1);
		});
	}

	private void takeOver(LeaderElection election) {
		this.otherLeader.release();
		Leadership leadership = election.join("billing");
		await().atMost(LONG).until(leadership::isLeader);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableScheduling
	static class Executors {

	}

	static class Jobs {

		private final AtomicInteger calls = new AtomicInteger();

		int calls() {
			return this.calls.get();
		}

		private <T> T called(T result) {
			this.calls.incrementAndGet();
			return result;
		}

		@LeaderOnly("billing")
		public Mono<String> mono() {
			return called(Mono.just("mono"));
		}

		@LeaderOnly("billing")
		public Flux<String> flux() {
			return called(Flux.just("one", "two"));
		}

		@LeaderOnly("billing")
		@DistributedLock("locked")
		public Mono<String> locked() {
			return called(Mono.just("locked"));
		}

		@LeaderOnly("billing")
		public CompletableFuture<String> future() {
			return called(CompletableFuture.completedFuture("future"));
		}

		@LeaderOnly("billing")
		public CompletionStage<String> stage() {
			return called(CompletableFuture.completedStage("stage"));
		}

		@Async
		@LeaderOnly("billing")
		public CompletableFuture<String> async() {
			return called(CompletableFuture.completedFuture("async"));
		}

		@LeaderOnly(value = "billing", onContention = ContentionPolicy.FAIL)
		public Mono<String> monoOrFail() {
			return called(Mono.just("mono"));
		}

		@LeaderOnly(value = "billing", onContention = ContentionPolicy.FAIL)
		public CompletableFuture<String> futureOrFail() {
			return called(CompletableFuture.completedFuture("future"));
		}

	}

	static class ScheduledJob {

		private final AtomicInteger fired = new AtomicInteger();

		private final AtomicInteger runs = new AtomicInteger();

		int fired() {
			return this.fired.get();
		}

		int runs() {
			return this.runs.get();
		}

		@Scheduled(fixedDelay = 5)
		public void fire() {
			this.fired.incrementAndGet();
		}

		@Scheduled(fixedDelay = 5)
		@LeaderOnly("billing")
		public Mono<Void> run() {
			return Mono.fromRunnable(this.runs::incrementAndGet);
		}

	}

}
