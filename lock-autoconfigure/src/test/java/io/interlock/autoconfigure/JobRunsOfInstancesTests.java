package io.interlock.autoconfigure;

import java.util.Set;

import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.JobRuns;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.RunRecords.Run;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the last runs of jobs in the endpoint and the meters of two instances.
 */
class JobRunsOfInstancesTests {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
						LockMetricsAutoConfiguration.class, LocksEndpointAutoConfiguration.class,
						MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
		.withPropertyValues("management.endpoints.web.exposure.include=locks")
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(InMemoryLockProvider.class, () -> this.provider)
		.withBean(Job.class);

	@Test
	void otherInstanceAnswersForTheOneThatRan() {
		this.contextRunner.withPropertyValues("interlock.instance-id=first").run((first) -> {
			first.getBean(Job.class).run(false);
			assertThat(first.getBean(LocksEndpoint.class).runs("runs").runs()).hasSize(1);
			this.contextRunner.withPropertyValues("interlock.instance-id=second").run((second) -> {
				assertThat(second.getBean(LocksEndpoint.class).runs("runs").runs())
					.extracting(Run::name, Run::instance, Run::outcome)
					.containsExactly(tuple("report", "first", "success"));
				MeterRegistry registry = second.getBean(MeterRegistry.class);
				assertThat(registry.find("interlock.run").timer()).isNull();
				assertThat(registry.get("interlock.run.last.success").tag("name", "report").timeGauge().value())
					.isBetween(0.0, 3600.0);
			});
		});
	}

	@Test
	void gaugeAsksTheStoreByItself() {
		this.contextRunner.run((first) -> {
			first.getBean(Job.class).run(false);
			first.getBean(JobRuns.class).runs();
			this.contextRunner.run((second) -> await().untilAsserted(() -> assertThat(
					second.getBean(MeterRegistry.class).get("interlock.run.last.success").timeGauge().value())
				.isBetween(0.0, 3600.0)));
		});
	}

	@Test
	void timerTellsHowRunsOfThisInstanceEnded() {
		this.contextRunner.run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("interlock.run.last.success").timeGauge().value()).isNaN();
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Job.class).run(true));
			assertThat(registry.get("interlock.run").tags("name", "report", "outcome", "failure").timer().count())
				.isEqualTo(1);
			assertThat(registry.get("interlock.run.last.success").timeGauge().value()).isNaN();
			context.getBean(Job.class).run(false);
			assertThat(registry.get("interlock.run").tags("name", "report", "outcome", "success").timer().count())
				.isEqualTo(1);
			assertThat(registry.get("interlock.run.last.success").timeGauge().value()).isBetween(0.0, 3600.0);
		});
	}

	@Test
	void runIsKeptWhereItsLockIs() {
		this.contextRunner.withPropertyValues("interlock.providers.billing.provider=memory")
			.withBean(BillingJob.class)
			.run((context) -> {
				context.getBean(Job.class).run(false);
				context.getBean(BillingJob.class).run();
				assertThat(context.getBean(LocksEndpoint.class).runs("runs").runs()).extracting(Run::name)
					.containsExactly("report", "report@billing");
				assertThat(context.getBean("billing", InMemoryLockProvider.class).runs(Set.of("report"))).hasSize(1);
				assertThat(this.provider.runs(Set.of("report"))).hasSize(1);
				assertThat(context.getBean(MeterRegistry.class).find("interlock.run").timers())
					.allMatch((timer) -> timer.count() == 1)
					.extracting((timer) -> timer.getId().getTag("provider"))
					.containsExactlyInAnyOrder(null, "billing");
			});
	}

	@Test
	void withoutAnnotationsThereAreNoRuns() {
		this.contextRunner.withPropertyValues("interlock.annotations.enabled=false").run((context) -> {
			context.getBean(Job.class).run(false);
			assertThat(context.getBean(LocksEndpoint.class).runs("runs").runs()).isEmpty();
		});
	}

	static class BillingJob {

		@DistributedLock(name = "report", provider = "billing", onContention = ContentionPolicy.SKIP)
		void run() {
		}

	}

	static class Job {

		@DistributedLock(name = "report", onContention = ContentionPolicy.SKIP)
		void run(boolean fails) {
			if (fails) {
				throw new IllegalStateException("test");
			}
		}

	}

}
