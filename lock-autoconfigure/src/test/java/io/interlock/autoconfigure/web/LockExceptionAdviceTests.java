package io.interlock.autoconfigure.web;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.StaticMessageSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the log of {@link LockExceptionAdvice}, with a moved clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockExceptionAdviceTests {

	private static final LockId ID = new LockId("seats", null);

	private static final Pattern OTHERS = Pattern.compile("\\((\\d+) more since the last such message\\)");

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);

	private final LockExceptionAdvice advice = new LockExceptionAdvice(
			new LockWebAutoConfiguration.WebProperties(true, Duration.ofSeconds(1), 0), new StaticMessageSource(),
			this.nanos::get);

	@Test
	void outageOfAnHourHasOneLineAMinute(CapturedOutput output) throws Throwable {
		for (int request = 0; request < 60 * 50; request++) {
			unavailable();
			this.nanos.addAndGet(Duration.ofMillis(1200).toNanos());
		}
		assertThat(output.toString().lines()).hasSizeBetween(60, 61)
			.allMatch((line) -> line.contains("WARN"))
			.allMatch((line) -> line.contains("Answered a request with status 503 SERVICE_UNAVAILABLE: "
					+ "LockServiceUnavailableException: no answer"));
	}

	@Test
	void everyRequestIsCounted(CapturedOutput output) throws Throwable {
		for (int request = 0; request < 125; request++) {
			unavailable();
			this.nanos.addAndGet(Duration.ofMillis(1200).toNanos());
		}
		this.nanos.addAndGet(Duration.ofHours(1).toNanos());
		unavailable();
		List<MatchResult> others = OTHERS.matcher(output).results().toList();
		assertThat(output.toString().lines()).hasSize(4);
		assertThat(others).extracting((line) -> line.group(1)).containsExactly("49", "49", "24");
	}

	@Test
	void exceptionsOfAnotherTypeHaveLinesOfTheirOwn(CapturedOutput output) throws Throwable {
		unavailable();
		this.advice.interrupted(
				new LockInterruptedException("interrupted", ID, Duration.ZERO, new InterruptedException()),
				Locale.ENGLISH);
		assertThat(output.toString().lines()).hasSize(2);
	}

	@Test
	void exceptionAroundTheOneAboutALockIsNamedWithIt(CapturedOutput output) throws Throwable {
		this.advice.unavailable(new IllegalStateException("outer\nline", failure()), Locale.ENGLISH);
		assertThat(output.toString().lines()).singleElement()
			.asString()
			.contains("LockServiceUnavailableException: no answer");
	}

	@Test
	void eachLossIsAnErrorWithItsStack(CapturedOutput output) throws Throwable {
		for (int request = 0; request < 2; request++) {
			this.advice.lost(new LockLostException("lost", ID, Duration.ZERO, null), Locale.ENGLISH);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("ERROR"))).hasSize(2);
		assertThat(output.toString().lines().filter((line) -> line.contains("\tat " + getClass().getName())))
			.hasSize(2);
	}

	private void unavailable() throws Throwable {
		this.advice.unavailable(failure(), Locale.ENGLISH);
	}

	private static LockServiceUnavailableException failure() {
		return new LockServiceUnavailableException("no answer", ID, Duration.ZERO, null);
	}

}
