package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the lines of an outage in which an instance holds many locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class ManyLossesLogTests {

	private static final int HOLDS = 100;

	private static final String LOST = "Lost lock crowd[";

	private static final String MORE_LOST = " more locks were lost: ";

	private static final String RELEASED = "is released while the servers do not answer";

	private static final String MORE_RELEASED = " more locks were released while the servers did not answer: ";

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final TimeInSteps time = new TimeInSteps();

	private final HeldLocks heldLocks = new HeldLocks(this.time);

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	@AfterEach
	void resetLevel() {
		this.logging.setLogLevel(Hold.class.getName(), null);
	}

	@Test
	void tenLossesHaveALineEachAndTheRestOneTogether(CapturedOutput output) {
		lose(HOLDS);
		await().untilAsserted(() -> assertThat(lines(output, "ERROR", LOST)).hasSize(10));
		assertThat(output).doesNotContain(MORE_LOST);
		this.time.pass();
		assertThat(lines(output, "ERROR", MORE_LOST)).singleElement().asString().contains(" 90 more locks");
		assertThat(lines(output, "ERROR", LOST)).hasSize(10);
	}

	@Test
	void tenUnconfirmedReleasesHaveALineEachAndTheRestOneTogether(CapturedOutput output) {
		List<LockHandle> handles = acquire(HOLDS);
		forEachGrant(ScriptedGrant::suspend);
		handles.forEach(LockHandle::close);
		assertThat(lines(output, "WARN", RELEASED)).hasSize(10);
		assertThat(output).doesNotContain(MORE_RELEASED);
		this.time.pass();
		assertThat(lines(output, "WARN", MORE_RELEASED)).singleElement().asString().contains(" 90 more locks");
		assertThat(lines(output, "WARN", RELEASED)).hasSize(10);
	}

	@Test
	void nextLossesHaveLinesAgain(CapturedOutput output) {
		lose(11);
		this.time.pass();
		lose(12);
		this.time.pass();
		assertThat(lines(output, "ERROR", LOST)).hasSize(20);
		assertThat(lines(output, "ERROR", MORE_LOST)).satisfiesExactly((line) -> assertThat(line).contains(" 1 more"),
				(line) -> assertThat(line).contains(" 2 more"));
	}

	@Test
	void shutdownTellsTheRest(CapturedOutput output) throws Exception {
		lose(HOLDS);
		this.heldLocks.awaitReleased(Duration.ZERO);
		assertThat(lines(output, "ERROR", MORE_LOST)).singleElement().asString().contains(" 90 more locks");
		this.time.pass();
		assertThat(output).containsOnlyOnce(MORE_LOST);
	}

	@Test
	void debugNamesEachLock(CapturedOutput output) {
		this.logging.setLogLevel(Hold.class.getName(), LogLevel.DEBUG);
		lose(HOLDS);
		await().untilAsserted(() -> assertThat(lines(output, "DEBUG", LOST)).hasSize(90));
		for (int i = 0; i < HOLDS; i++) {
			assertThat(output).containsOnlyOnce(LOST + i + "]");
		}
	}

	@Test
	void fewLossesHaveALineEachAndNoOther(CapturedOutput output) throws Exception {
		lose(10);
		await().untilAsserted(() -> assertThat(lines(output, "ERROR", LOST)).hasSize(10));
		this.time.pass();
		this.heldLocks.awaitReleased(Duration.ZERO);
		assertThat(output).doesNotContain(MORE_LOST);
	}

	private void lose(int holds) {
		List<LockHandle> handles = acquire(holds);
		forEachGrant(ScriptedGrant::lose);
		handles.forEach(LockHandle::close);
	}

	private List<LockHandle> acquire(int holds) {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < holds; i++) {
			handles.add(this.template.acquire(LockRequest.exclusive("crowd").withKey(i)));
		}
		return handles;
	}

	private void forEachGrant(Consumer<ScriptedGrant> action) {
		this.provider.attempts().forEach((attempt) -> action.accept(attempt.granted()));
	}

	private static List<String> lines(CapturedOutput output, String level, String text) {
		return output.toString()
			.lines()
			.filter((line) -> line.contains(" " + level + " ") && line.contains("i.i.t.Hold") && line.contains(text))
			.toList();
	}

	/** Time that passes when a test says so. */
	private static final class TimeInSteps extends LockTime {

		private final List<Runnable> due = new CopyOnWriteArrayList<>();

		@Override
		protected long nanoTime() {
			return 0;
		}

		@Override
		protected Future<?> schedule(Runnable task, long nanos) {
			this.due.add(task);
			return new CompletableFuture<>();
		}

		@Override
		protected void execute(Runnable news) {
			news.run();
		}

		void pass() {
			List<Runnable> tasks = List.copyOf(this.due);
			this.due.clear();
			tasks.forEach(Runnable::run);
		}

	}

}
