package io.interlock.sample.settlement;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link SettlementJob}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "sample.settlement.interval=1h", "sample.database.name=settlement-job" })
@AutoConfigureTestLocks
class SettlementJobTests {

	@Autowired
	private SettlementJob job;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private Settlements settlements;

	@BeforeEach
	void begin() {
		this.locks.reset();
	}

	@Test
	void settlesUnderTheLock() {
		willAnswer((settle) -> {
			LockHandle lock = settle.getArgument(0);
			assertThat(lock.isValid()).isTrue();
			assertThat(lock.id()).isEqualTo(new LockId("settlement", null));
			return 0L;
		}).given(this.settlements).settle(any());
		this.job.run();
		then(this.settlements).should().settle(any());
		assertThat(this.locks).acquired("settlement").times(1);
	}

	@Test
	void leavesItToTheInstanceThatHasTheLock() {
		this.locks.busy("settlement");
		this.job.run();
		then(this.settlements).shouldHaveNoInteractions();
	}

	@Test
	void doesNothingBeforeTheIntervalIsAlmostOver() {
		Instant before = Instant.now();
		this.job.run();
		this.job.run();
		then(this.settlements).should(times(1)).settle(any());
		assertThat(this.locks.held()).singleElement()
			.satisfies((hold) -> assertThat(hold.keptUntil()).isAfterOrEqualTo(before.plus(Duration.ofMinutes(54))));
		this.locks.reset();
		this.job.run();
		then(this.settlements).should(times(2)).settle(any());
	}

	@Test
	void isNotThereWithoutLocks() {
		new ApplicationContextRunner().withBean(Settlements.class, () -> mock(Settlements.class))
			.withUserConfiguration(SettlementJob.class)
			.withPropertyValues("sample.locking=false")
			.run((context) -> assertThat(context).doesNotHaveBean(SettlementJob.class));
	}

	/** The job alone, which nothing schedules. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(SettlementJob.class)
	static class JobWithoutSchedule {

	}

}
