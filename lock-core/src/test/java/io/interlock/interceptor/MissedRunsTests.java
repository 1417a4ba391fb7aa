package io.interlock.interceptor;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MissedRuns}: scheduled methods in an outage.
 */
@ExtendWith(OutputCaptureExtension.class)
class MissedRunsTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Jobs target = new Jobs();

	private final Jobs jobs = proxy();

	@Test
	void anOutageSkipsScheduledRunsWithOneLine(CapturedOutput output) throws Exception {
		down();
		for (int i = 0; i < 100; i++) {
			fire("mail");
		}
		assertThat(this.target.runs).hasValue(0);
		assertThat(lines(output)).singleElement()
			.asString()
			.contains("WARN", "Skipped", "Jobs.mail()", "because the lock service does not answer: the server is gone");
	}

	@Test
	void theEndOfAnOutageHasOneLine(CapturedOutput output) throws Exception {
		down();
		fire("mail");
		fire("mail");
		this.locks.available();
		fire("mail");
		fire("mail");
		assertThat(this.target.runs).hasValue(2);
		assertThat(lines(output)).hasSize(2)
			.last()
			.asString()
			.contains("answers again for lock 'mail': 2 scheduled runs were skipped meanwhile");
	}

	@Test
	void contentionIsAnAnswerToo(CapturedOutput output) throws Exception {
		down();
		fire("mail");
		this.locks.available();
		this.locks.contended();
		fire("mail");
		assertThat(output).contains("answers again for lock 'mail': 1 scheduled runs");
	}

	@Test
	void eachOutageHasItsLines(CapturedOutput output) throws Exception {
		for (int i = 0; i < 2; i++) {
			down();
			fire("mail");
			this.locks.available();
			fire("mail");
		}
		assertThat(lines(output)).hasSize(4);
	}

	@Test
	void aCallerGetsTheException() {
		down();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(this.jobs::mail);
	}

	@Test
	void aJobThatWaitsFails() {
		down();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> fire("waits"));
	}

	@Test
	void aMethodThatAJobCallsFails() {
		down();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> fire("callsAnother"));
	}

	@Test
	void anOutageInsideOfAJobFails() {
		this.target.inside = unavailable();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> fire("mail"))
			.isSameAs(this.target.inside);
	}

	private static Stream<String> lines(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains(MissedRuns.class.getSimpleName() + " - "));
	}

	private void down() {
		this.locks.unavailable(unavailable());
	}

	private static LockServiceUnavailableException unavailable() {
		return new LockServiceUnavailableException("the server is gone", new LockId("mail", null), Duration.ZERO, null);
	}

	private void fire(String method) throws Exception {
		new ScheduledMethodRunnable(this.jobs, Jobs.class.getMethod(method)).run();
	}

	private Jobs proxy() {
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockAdvisor(
				new AnnotationLockDefinitionSource(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null),
				() -> this.locks));
		Jobs proxy = (Jobs) factory.getProxy();
		this.target.self = proxy;
		return proxy;
	}

	static class Jobs {

		private final AtomicInteger runs = new AtomicInteger();

		private Jobs self;

		private LockServiceUnavailableException inside;

		@Scheduled(fixedRate = 1000)
		@DistributedLock(name = "mail", onContention = ContentionPolicy.SKIP)
		public void mail() {
			this.runs.incrementAndGet();
			if (this.inside != null) {
				throw this.inside;
			}
		}

		@Scheduled(fixedRate = 1000)
		@DistributedLock(name = "waits")
		public void waits() {
			this.runs.incrementAndGet();
		}

		@Scheduled(fixedRate = 1000)
		public void callsAnother() {
			this.self.unscheduled();
		}

		@DistributedLock(name = "unscheduled", onContention = ContentionPolicy.SKIP)
		public void unscheduled() {
			this.runs.incrementAndGet();
		}

	}

}
