package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletionException;

import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutageLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageLogTests {

	private static final LeaseStoreAddress ADDRESS = new LeaseStoreAddress("Redis", "redis:6379", "keys", "the port");

	private final MovedTime time = new MovedTime();

	private final OutageLog log = new OutageLog(() -> ADDRESS, new MovedLeaseTime(this.time));

	@AfterEach
	void close() {
		this.time.close();
	}

	private void fail(int times) {
		for (int i = 0; i < times; i++) {
			this.log.failed(LeaseStoreException.passing("it is gone", null), true);
			this.time.jump(Duration.ofMillis(500));
		}
	}

	@Test
	void anOutageHasOneLineAtItsBeginningAndOneAtItsEnd(CapturedOutput output) {
		this.log.answered();
		fail(200);
		this.log.answered();
		this.log.answered();
		assertThat(output.getAll().lines()).hasSize(2)
			.allMatch((line) -> line.contains("WARN") && line.contains("Redis at 'redis:6379'"))
			.anyMatch((line) -> line.contains("cannot be used for locks now: it is gone"))
			.anyMatch((line) -> line.contains("answers again after PT1M40"));
	}

	@Test
	void anOutageOfAcquisitionsIsNotEndedByAReleaseThatIsAnswered(CapturedOutput output) {
		this.log.answered();
		for (int i = 0; i < 20; i++) {
			fail(1);
			this.log.answeredOther();
		}
		assertThat(output.getAll().lines()).singleElement().asString().contains("cannot be used for locks now");
		assertThat(this.log.reason()).isEqualTo("it is gone");
		this.log.answered();
		assertThat(output.getAll().lines()).hasSize(2);
		assertThat(this.log.reason()).isNull();
	}

	@Test
	void anyAnswerEndsAnOutageInWhichNothingWasAcquired(CapturedOutput output) {
		this.log.answered();
		for (int i = 0; i < 4; i++) {
			this.log.failed(LeaseStoreException.passing("it is gone", null), false);
			this.time.jump(Duration.ofMillis(500));
		}
		this.log.answeredOther();
		assertThat(output.getAll().lines()).hasSize(2);
	}

	@Test
	void eachOutageHasItsLines(CapturedOutput output) {
		this.log.answered();
		for (int i = 0; i < 2; i++) {
			fail(4);
			this.log.answered();
		}
		assertThat(output.getAll().lines()).hasSize(4);
	}

	@Test
	void failuresOfLessThanASecondAreNoOutage(CapturedOutput output) {
		this.log.answered();
		for (int i = 0; i < 100; i++) {
			fail(2);
			this.log.answered();
		}
		assertThat(output.getAll()).isEmpty();
	}

	@Test
	void aStoreThatHasNeverAnsweredIsLeftToTheCheckAtTheStart(CapturedOutput output) {
		fail(100);
		this.log.answered();
		assertThat(output.getAll()).isEmpty();
	}

	@Test
	void aRequestThatChangedNothingIsAnAnswerOfTheStore(CapturedOutput output) {
		this.log.answered();
		for (int i = 0; i < 100; i++) {
			this.log.failed(new CompletionException(LeaseStoreException.undone("a deadlock", null)), true);
			this.time.jump(Duration.ofMillis(500));
		}
		assertThat(output.getAll()).isEmpty();
	}

}
