package io.interlock.autoconfigure.leader;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.interceptor.LeaderOnlyAdvisor;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.LeadershipGrantedEvent;
import io.interlock.leader.LeadershipRevokedEvent;
import io.interlock.provider.LockProvider;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.Banner;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionAutoConfiguration} and {@link LeaderOnly}.
 */
class LeaderElectionAutoConfigurationTests {

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
						LeaderElectionAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withBean(LockProvider.class, () -> this.provider);

	private final ApplicationContextRunner jobsRunner = this.contextRunner.withBean(Jobs.class)
		.withPropertyValues("team=north");

	@Test
	void joinsTheElectionsOfAnnotatedMethodsOnStartup() {
		this.jobsRunner.run((context) -> {
			await().until(() -> this.provider.attempts().size() == 2);
			assertThat(this.provider.attempts()).extracting((attempt) -> attempt.request().id())
				.containsExactlyInAnyOrder(new LockId("leader", "billing"), new LockId("leader", "north-reports"));
		});
	}

	@Test
	void annotationNamesAProviderOfItsElection() {
		this.contextRunner.withBean(BillingJobs.class)
			.withPropertyValues("interlock.providers.billing.provider=memory", "store=billing")
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				await().until(() -> election.leading().containsKey("invoices@billing"));
				assertThat(context.getBean(BillingJobs.class).count()).isEqualTo(1);
				assertThat(election.leading("billing")).containsOnlyKeys("invoices@billing");
				assertThat(election.leading(null)).isEmpty();
				assertThat(this.provider.attempts()).isEmpty();
			});
	}

	@Test
	void unknownProviderOfAnElectionFailsTheStart() {
		this.contextRunner.withBean(BillingJobs.class)
			.withPropertyValues("interlock.providers.billing.provider=memory", "store=biling")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						"Did you mean 'billing'? Defined besides the default one: [billing]. To define a new one, "
								+ "set interlock.providers.<name>.provider"));
	}

	@Test
	void invokesAnnotatedMethodsOfTheLeaderOnly() {
		this.jobsRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.bill();
			assertThat(jobs.total()).isEmpty();
			assertThat(jobs.report()).isNull();
			assertThat(jobs.count()).isZero();
			lead(context, "billing");
			jobs.bill();
			assertThat(jobs.total()).contains(1);
			assertThat(jobs.report()).isNull();
			attempt("billing").granted().suspend();
			jobs.bill();
			assertThat(jobs.count()).isEqualTo(1);
		});
	}

	@Test
	void refusesWithTheReason() {
		this.jobsRunner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			attempt("billing");
			await().untilAsserted(
					() -> assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(jobs::billOrFail));
			lead(context, "billing");
			jobs.billOrFail();
			attempt("billing").granted().suspend();
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(jobs::billOrFail);
		});
	}

	@Test
	void annotationOfAClassAppliesToItsMethodsAndThatOfAMethodReplacesIt() {
		this.contextRunner.withBean(Reports.class).run((context) -> {
			lead(context, "reports");
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.weekly()).isEqualTo("weekly");
			assertThat(reports.monthly()).isNull();
		});
	}

	@Test
	void instanceThatDoesNotLeadTakesNoLock() {
		this.contextRunner.withBean(LockedJob.class).run((context) -> {
			ScriptedAttempt election = attempt("billing");
			context.getBean(LockedJob.class).run();
			assertThat(this.provider.attempts()).containsExactly(election);
		});
	}

	@Test
	void instanceLeadsOnlyWhileItsApplicationIsReady() {
		CompletableFuture<Boolean> contendedAtTheRunner = new CompletableFuture<>();
		try (ConfigurableApplicationContext context = application(
				() -> contendedAtTheRunner.complete(!this.provider.attempts().isEmpty()))) {
			assertThat(contendedAtTheRunner).isCompletedWithValue(false);
			ScriptedAttempt attempt = attempt("billing");
			attempt.grant();
			LeaderElection election = context.getBean(LeaderElection.class);
			await().until(() -> election.leading().containsKey("billing"));
			AvailabilityChangeEvent.publish(context, LivenessState.BROKEN);
			assertThat(election.leading()).containsKey("billing");
			AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
			assertThat(election.leading()).isEmpty();
			await().until(attempt.granted()::isReleased);
		}
	}

	@Test
	void readinessIsNotRequiredIfTheApplicationSaysSo() {
		CompletableFuture<LockId> contendedFor = new CompletableFuture<>();
		try (ConfigurableApplicationContext context = application(
				() -> contendedFor.complete(this.provider.awaitAttempt().request().id()),
				"--interlock.leader.requires-readiness=false")) {
			assertThat(contendedFor).isCompletedWithValue(new LockId("leader", "billing"));
			assertThat(context.getBean(LeaderElection.class).leading()).isEmpty();
		}
	}

	private ConfigurableApplicationContext application(Runnable runner, String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.initializers((context) -> {
				GenericApplicationContext beans = (GenericApplicationContext) context;
				beans.registerBean(LockProvider.class, () -> this.provider);
				beans.registerBean(CommandLineRunner.class, () -> (unused) -> runner.run());
			})
			.run(arguments);
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, PrimitiveResult.class })
	void annotationThatCannotWorkFailsTheStart(Class<?> type) {
		this.contextRunner.withBean(type)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining(type.getSimpleName()));
	}

	@Test
	void primitiveResultIsRefusedInWordsOfTheAnnotation() {
		this.contextRunner.withBean(PrimitiveResult.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("PrimitiveResult.bill()")
				.hasMessageContaining(
						"@LeaderOnly skips the method on an instance that does not lead unless 'onContention' is FAIL, "
								+ "but a skipped method returns null and this one returns int.")
				.hasMessageContaining("Return Integer or an Optional, or use FAIL."));
	}

	@Test
	void placeholderThatCannotBeResolvedFailsTheStart() {
		this.contextRunner.withBean(Jobs.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("team"));
	}

	@Test
	void annotationsCanBeSwitchedOff() {
		this.jobsRunner.withPropertyValues("interlock.annotations.enabled=false").run((context) -> {
			assertThat(context).hasSingleBean(LeaderElection.class).doesNotHaveBean(LeaderOnlyAdvisor.class);
			context.getBean(Jobs.class).bill();
			assertThat(context.getBean(Jobs.class).count()).isEqualTo(1);
		});
	}

	@Test
	void everyInstanceLeadsWithoutLocks() {
		this.jobsRunner.withPropertyValues("interlock.enabled=false").run((context) -> {
			await().until(context.getBean(LeaderElection.class).join("reports")::isLeader);
			context.getBean(Jobs.class).bill();
			assertThat(context.getBean(Jobs.class).count()).isEqualTo(1);
			assertThat(this.provider.attempts()).isEmpty();
		});
	}

	@Test
	void publishesEvents() {
		this.jobsRunner.withBean(Events.class).run((context) -> {
			lead(context, "billing");
			long token = attempt("billing").granted().fencingToken();
			Events events = context.getBean(Events.class);
			await().until(() -> events.seen.size() == 1);
			attempt("billing").granted().lose();
			await().untilAsserted(() -> assertThat(events.seen).containsExactly(
					new LeadershipGrantedEvent("billing", token), new LeadershipRevokedEvent("billing", token)));
		});
	}

	@Test
	void closingTheContextHandsOver() {
		this.jobsRunner.run((context) -> {
			lead(context, "billing");
			attempt("north-reports");
		});
		assertThat(attempt("billing").granted().isReleased()).isTrue();
		assertThat(attempt("north-reports").isAbandoned()).isTrue();
	}

	@Test
	void endpointShowsWhatThisInstanceLeads() {
		this.jobsRunner.withPropertyValues("management.endpoints.web.exposure.include=locks").run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThat(endpoint.locks(null, null, null).leading()).isNull();
			lead(context, "billing");
			assertThat(endpoint.locks(null, null, null).leading()).containsOnlyKeys("billing");
		});
	}

	private void lead(ApplicationContext context, String name) {
		attempt(name).grant();
		await().until(() -> context.getBean(LeaderElection.class).leading().containsKey(name));
	}

	/**
	 * Return the first attempt at an election, as soon as it is there.
	 */
	private ScriptedAttempt attempt(String name) {
		return await().atMost(Duration.ofSeconds(10))
			.until(() -> List.copyOf(this.provider.attempts())
				.stream()
				.filter((attempt) -> name.equals(attempt.request().id().key()))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	static class Jobs {

		private final AtomicInteger bills = new AtomicInteger();

		@LeaderOnly("billing")
		public void bill() {
			this.bills.incrementAndGet();
		}

		@LeaderOnly(value = "billing", onContention = ContentionPolicy.FAIL)
		public int billOrFail() {
			return this.bills.incrementAndGet();
		}

		@LeaderOnly("billing")
		public Optional<Integer> total() {
			return Optional.of(this.bills.get());
		}

		int count() {
			return this.bills.get();
		}

		@LeaderOnly("${team}-reports")
		public String report() {
			return "report";
		}

	}

	@LeaderOnly("reports")
	static class Reports {

		public String weekly() {
			return "weekly";
		}

		@LeaderOnly("monthly")
		public String monthly() {
			return "monthly";
		}

	}

	static class LockedJob {

		@LeaderOnly("billing")
		@DistributedLock("job")
		public void run() {
		}

	}

	static class PrivateMethod {

		@LeaderOnly("billing")
		private void bill() {
		}

	}

	static class PrimitiveResult {

		@LeaderOnly("billing")
		public int bill() {
			return 1;
		}

	}

	static class Events {

		private final List<Object> seen = new CopyOnWriteArrayList<>();

		@EventListener
		public void granted(LeadershipGrantedEvent event) {
			this.seen.add(event);
		}

		@EventListener
		public void revoked(LeadershipRevokedEvent event) {
			this.seen.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ InterlockAutoConfiguration.class, LeaderElectionAutoConfiguration.class })
	static class Application {

		@Bean
		static SmartInitializingSingleton billing(LeaderElection election) {
			return () -> election.join("billing");
		}

	}

	static class BillingJobs {

		@LeaderOnly(value = "invoices", provider = "${store}")
		public Integer count() {
			return 1;
		}

	}

}
