package io.interlock.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.RunRecords;
import io.interlock.provider.RunRecords.Run;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link JobRuns}.
 */
class JobRunsTests {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final JobRuns first = new JobRuns((name) -> this.provider, () -> "first");

	private final JobRuns second = new JobRuns((name) -> this.provider, () -> "second");

	@Test
	void anyInstanceTellsWhenWhereAndHowAJobEnded() throws Exception {
		Instant before = Instant.now();
		jobs(this.first).work(null);
		assertThat(this.first.runs()).hasSize(1);
		jobs(this.second);
		assertThat(this.second.runs()).singleElement().satisfies((run) -> {
			assertThat(run.name()).isEqualTo("report");
			assertThat(run.key()).isNull();
			assertThat(run.instance()).isEqualTo("first");
			assertThat(run.outcome()).isEqualTo("success");
			assertThat(run.startedAt()).isBetween(before, Instant.now());
			assertThat(run.duration()).isGreaterThanOrEqualTo(Duration.ZERO);
			assertThat(run.lastSuccess()).isEqualTo(run.startedAt().plus(run.duration()));
		});
		assertThat(this.second.lastSuccess(new LockId("report", null))).isNotNull();
	}

	@Test
	void failureIsTheClassAndKeepsTheLastSuccessOfAnotherInstance() throws Exception {
		jobs(this.first).work(null);
		Run success = this.first.runs().get(0);
		assertThatIOException().isThrownBy(() -> jobs(this.second).work(new IOException("disk")));
		this.second.runs();
		assertThat(this.first.runs()).singleElement().satisfies((run) -> {
			assertThat(run.instance()).isEqualTo("second");
			assertThat(run.outcome()).isEqualTo(IOException.class.getName());
			assertThat(run.lastSuccess()).isEqualTo(success.lastSuccess());
		});
	}

	@Test
	void skippedCallIsNoRun() throws Exception {
		LockGrant other = this.provider.attempt(LockRequest.exclusive("report"), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
		jobs(this.first).work(null);
		assertThat(this.first.runs()).isEmpty();
		other.release();
		jobs(this.first).work(null);
		assertThat(this.first.runs()).hasSize(1);
	}

	@Test
	void methodThatIsNotSkippedIsNoJob() {
		jobs(this.first).order(7);
		assertThat(this.first.jobs()).extracting(LockId::name).doesNotContain("order");
		assertThat(this.first.runs()).isEmpty();
	}

	@Test
	void lastRunOfANameTellsItsKeys() {
		jobs(this.first).tenant("blue");
		jobs(this.first).tenant("red");
		assertThat(this.first.runs()).extracting(Run::key).containsExactly("red");
		jobs(this.first).tenants("red", "blue");
		assertThat(this.first.runs()).extracting(Run::key).containsExactly("red", "red, blue");
	}

	@Test
	void futureEndsTheRun() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = jobs(this.first).future(work);
		assertThat(this.first.runs()).isEmpty();
		work.completeExceptionally(new IOException("disk"));
		assertThat(result).failsWithin(Duration.ofSeconds(10));
		assertThat(this.first.runs()).extracting(Run::outcome).containsExactly(IOException.class.getName());
		assertThat(jobs(this.first).future(CompletableFuture.completedFuture("done")))
			.succeedsWithin(Duration.ofSeconds(10));
		assertThat(this.first.runs()).extracting(Run::outcome).containsExactly("success");
	}

	@Test
	void subscriptionIsTheRun() {
		assertThat(jobs(this.first).mono(Mono.just("done")).block(Duration.ofSeconds(10))).isEqualTo("done");
		assertThat(this.first.runs()).extracting(Run::outcome).containsExactly("success");
		assertThat(jobs(this.first).mono(Mono.empty()).block(Duration.ofSeconds(10))).isNull();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(
				() -> jobs(this.first).mono(Mono.error(new IllegalStateException())).block(Duration.ofSeconds(10)));
		assertThat(this.first.runs()).extracting(Run::outcome).containsExactly(IllegalStateException.class.getName());
		assertThat(jobs(this.first).flux(Flux.just("a", "b")).collectList().block(Duration.ofSeconds(10)))
			.containsExactly("a", "b");
		assertThat(this.first.runs()).extracting(Run::name, Run::outcome).contains(tuple("flux", "success"));
	}

	@Test
	void storeThatFailsHarmsNoMethodAndLeavesTheInstanceItsOwnRuns() throws Exception {
		JobRuns runs = new JobRuns((name) -> {
			throw new IllegalStateException("no store");
		}, () -> "alone");
		jobs(runs).work(null);
		assertThat(runs.runs()).extracting(Run::instance).containsExactly("alone");
		assertThat(runs.lastSuccess(new LockId("report", null))).isNotNull();
	}

	@Test
	void methodDoesNotWaitForAStoreThatIsSilent() throws Exception {
		CountDownLatch silent = new CountDownLatch(1);
		List<Run> written = new ArrayList<>();
		JobRuns runs = new JobRuns((name) -> new RunRecords() {

			@Override
			public void record(Run run) {
				try {
					silent.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				written.add(run);
			}

			@Override
			public List<Run> runs(Collection<String> names) {
				return List.copyOf(written);
			}

		}, () -> "patient");
		for (int i = 0; i < 200; i++) {
			jobs(runs).work(null);
		}
		assertThat(written).isEmpty();
		silent.countDown();
		assertThat(runs.runs()).hasSize(1);
	}

	@Test
	void listenerThatFailsHarmsNoMethod() throws Exception {
		List<Run> heard = new ArrayList<>();
		this.first.listen((job, run) -> {
			heard.add(run);
			throw new IllegalStateException("listener");
		});
		jobs(this.first).work(null);
		assertThat(heard).hasSize(1);
		assertThat(this.first.runs()).hasSize(1);
	}

	@Test
	void textTellsEverything() {
		Run run = new Run("report", "a\nb", "host:1", Instant.EPOCH, Duration.ofMillis(5), "success", Instant.EPOCH);
		assertThat(Run.parse("report", run.toText())).isEqualTo(run);
		Run failed = new Run("report", null, "host:1", Instant.EPOCH, Duration.ZERO, "java.io.IOException", null);
		assertThat(Run.parse("report", failed.toText())).isEqualTo(failed);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "interlock", "1\n2\n3\n4\n5\n6", "1970-01-01T00:00:00Z\nPT1S\nsuccess\nnull\nhost" })
	void otherTextIsNoRun(String text) {
		assertThat(Run.parse("report", text)).isNull();
	}

	private Jobs jobs(JobRuns runs) {
		LockAdvisor advisor = new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null,
				() -> new LockTemplate(this.provider));
		advisor.recordIn(runs);
		ProxyFactory factory = new ProxyFactory(new Jobs());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(advisor);
		Jobs jobs = (Jobs) factory.getProxy();
		jobs.toString();
		return jobs;
	}

	static class Jobs {

		@DistributedLock(name = "report", onContention = ContentionPolicy.SKIP)
		void work(IOException failure) throws IOException {
			if (failure != null) {
				throw failure;
			}
		}

		@DistributedLock(name = "order")
		String order(int id) {
			return new LockId("order", String.valueOf(id)).toString();
		}

		@DistributedLock(name = "tenant", key = "#tenant", onContention = ContentionPolicy.SKIP)
		void tenant(String tenant) {
		}

		@DistributedLock(name = "tenants", keys = { "#one", "#other" }, onContention = ContentionPolicy.SKIP)
		void tenants(String one, String other) {
		}

		@DistributedLock(name = "future", onContention = ContentionPolicy.SKIP)
		CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(name = "mono", onContention = ContentionPolicy.SKIP)
		Mono<String> mono(Mono<String> work) {
			return work;
		}

		@DistributedLock(name = "flux", onContention = ContentionPolicy.SKIP)
		Flux<String> flux(Flux<String> work) {
			return work;
		}

	}

}
