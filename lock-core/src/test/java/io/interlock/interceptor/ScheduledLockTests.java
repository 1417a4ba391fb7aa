package io.interlock.interceptor;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.annotation.ReadLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks on methods with {@link Scheduled}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledLockTests {

	private final MockEnvironment environment = new MockEnvironment().withProperty("rate", "PT20S")
		.withProperty("zone", "Europe/Berlin")
		.withProperty("hold", "period");

	private LockOverrides.Change override = LockOverrides.Change.NONE;

	private AnnotationLockDefinitionSource source;

	@BeforeEach
	void createSource() {
		this.source = new AnnotationLockDefinitionSource(this.environment, (name) -> this.override, null);
	}

	@ParameterizedTest
	@CsvSource({ "fixedRate, 9", "fixedDelay, 18", "rateText, 18", "delayText, 27", "rateInMinutes, 108",
			"severalSchedules, 9", "holdOfProperty, 9" })
	void periodIsThatOfTheScheduleLessATenth(String method, int seconds) throws Exception {
		assertThat(definition(method).requestNow().minHold()).isEqualTo(Duration.ofSeconds(seconds));
	}

	@Test
	void aScheduleThatNeverFiresAgainKeepsItsLockForTheLongestTime() throws Exception {
		assertThat(definition("firesOnce").requestNow().minHold()).isEqualTo(LockRequest.MAX_MIN_HOLD);
	}

	@Test
	void aScheduleThatIsOffHasNoPeriod() throws Exception {
		assertThat(definition("off").requestNow().minHold()).isEqualTo(Duration.ZERO);
	}

	@ParameterizedTest
	@CsvSource({ "nightly, 2026-03-01T03:00:00Z, 86400", "nightly, 2026-03-01T01:00:00Z, 7200",
			"nightly, 2026-03-01T02:59:59.995Z, 86400", "inBerlin, 2026-03-01T02:00:00Z, 86400",
			"inBerlin, 2026-03-28T02:00:00Z, 82800", "secondly, 2026-03-01T02:00:00Z, 1" })
	void periodOfCronIsTheTimeToTheNextFiring(String method, Instant now, long seconds) throws Exception {
		LockDefinition.Schedule schedule = new LockDefinition.Schedule(Jobs.class.getMethod(method),
				this.environment::resolveRequiredPlaceholders, Clock.fixed(now, ZoneOffset.UTC));
		assertThat(schedule.minHold()).isCloseTo(Duration.ofMillis(seconds * 900), Duration.ofMillis(5));
	}

	@ParameterizedTest
	@ValueSource(strings = { "notScheduled", "once" })
	void periodWithoutAScheduleIsRefused(String method) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> definition(method))
			.withMessageContaining(method)
			.withMessageContaining("no @Scheduled with a period");
	}

	@ParameterizedTest
	@ValueSource(strings = { "waits", "waitsForShortHold" })
	void aJobThatWaitsIsOneWarning(String method, CapturedOutput output) throws Exception {
		definition(method);
		this.source.getLockDefinition(Jobs.class.getMethod(method), OtherJobs.class);
		assertThat(output).containsOnlyOnce("Jobs.%s() is @Scheduled and waits for its lock".formatted(method))
			.containsOnlyOnce("onContention = SKIP");
	}

	@ParameterizedTest
	@ValueSource(strings = { "fixedRate", "tries", "outlastsTheWait", "reads", "ofTheLeader", "notScheduledEither" })
	void otherJobsAreNone(String method, CapturedOutput output) throws Exception {
		definition(method);
		assertThat(output).doesNotContain("waits for its lock");
	}

	@Test
	void theDefaultWaitTimeDecidesToo(CapturedOutput output) throws Exception {
		this.environment.setProperty("interlock.default-wait-time", "0");
		definition("waits");
		assertThat(output).doesNotContain("waits for its lock");
	}

	@Test
	void anOverrideDecidesWhetherAJobWaits(CapturedOutput output) throws Exception {
		this.override = new LockOverrides.Change(null, Duration.ZERO, true);
		definition("waits");
		this.override = new LockOverrides.Change(ContentionPolicy.SKIP, null, true);
		definition("waitsForShortHold");
		assertThat(output).doesNotContain("waits for its lock");
	}

	@Test
	void skippedCallsAreOneLineAnHourForEachName(CapturedOutput output) throws Exception {
		AtomicLong nanos = new AtomicLong(-1);
		SkippedCalls calls = new SkippedCalls(nanos::get);
		LockDefinition definition = definition("fixedRate");
		calls.add(definition, "it is held by thread 'a'");
		assertThat(output).contains("INFO", "Jobs.fixedRate(), because others hold lock 'rate': 1 skipped");
		calls.add(definition, "it is held by thread 'b'");
		calls.add(definition, "it is held by thread 'c'");
		nanos.addAndGet(TimeUnit.HOURS.toNanos(1) - 1);
		calls.add(definition, "it is held by thread 'd'");
		assertThat(output).containsOnlyOnce("others hold lock 'rate'");
		calls.add(definition("tries"), "it is held by thread 'e'");
		assertThat(output).containsOnlyOnce("others hold lock 'tries': 1 skipped");
		nanos.addAndGet(1);
		calls.add(definition, "it is held by thread 'f'");
		assertThat(output).containsOnlyOnce("others hold lock 'rate': 4 skipped");
	}

	@Test
	void aCallThatSkipsDoesNotWait() throws Exception {
		assertThat(definition("fixedRate").requestNow())
			.isEqualTo(LockRequest.exclusive("rate").withMinHold(Duration.ofSeconds(9)).withWaitTime(Duration.ZERO));
	}

	private LockDefinition definition(String method) throws NoSuchMethodException {
		LockDefinition definition = this.source.getLockDefinition(Jobs.class.getMethod(method), Jobs.class);
		assertThat(definition).isNotNull();
		return definition;
	}

	static class OtherJobs extends Jobs {

	}

	static class Jobs {

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "rate", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void fixedRate() {
		}

		@Scheduled(fixedDelay = 20, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(name = "delay", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void fixedDelay() {
		}

		@Scheduled(fixedRateString = "${rate}")
		@DistributedLock(name = "rate-text", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void rateText() {
		}

		@Scheduled(fixedDelayString = "30", timeUnit = TimeUnit.SECONDS)
		@DistributedLock(name = "delay-text", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void delayText() {
		}

		@Scheduled(fixedRateString = "2", timeUnit = TimeUnit.MINUTES)
		@DistributedLock(name = "rate-in-minutes", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void rateInMinutes() {
		}

		@Scheduled(fixedRate = 20_000)
		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "several", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void severalSchedules() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "property", minHold = "${hold}", onContention = ContentionPolicy.SKIP)
		public void holdOfProperty() {
		}

		@Scheduled(cron = "-")
		@DistributedLock(name = "off", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void off() {
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@DistributedLock(name = "nightly", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void nightly() {
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "${zone}")
		@DistributedLock(name = "in-berlin", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void inBerlin() {
		}

		@Scheduled(cron = "* * * * * *", zone = "UTC")
		@DistributedLock(name = "secondly", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void secondly() {
		}

		@DistributedLock(name = "not-scheduled", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void notScheduled() {
		}

		@Scheduled(initialDelay = 10)
		@DistributedLock(name = "once", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void once() {
		}

		@Scheduled(fixedDelay = Long.MAX_VALUE)
		@DistributedLock(name = "fires-once", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void firesOnce() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock("waits")
		public void waits() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "short", waitTime = "5s", minHold = "5s")
		public void waitsForShortHold() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "tries", waitTime = "0")
		public void tries() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "outlasts", waitTime = "5s", minHold = "6s")
		public void outlastsTheWait() {
		}

		@Scheduled(fixedRate = 10_000)
		@ReadLock("reads")
		public void reads() {
		}

		@Scheduled(fixedRate = 10_000)
		@LeaderOnly("leader")
		@DistributedLock("of-the-leader")
		public void ofTheLeader() {
		}

		@DistributedLock("not-scheduled-either")
		public void notScheduledEither() {
		}

	}

}
