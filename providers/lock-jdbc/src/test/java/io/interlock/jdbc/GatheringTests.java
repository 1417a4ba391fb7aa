package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.jdbc.Gathering.Answer;
import io.interlock.jdbc.Gathering.Question;
import io.interlock.lease.LeaseContender;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Gathering}.
 */
class GatheringTests {

	private final List<List<String>> statements = new ArrayList<>();

	private final List<String> locked = new ArrayList<>();

	private final Queue<Runnable> during = new ArrayBlockingQueue<>(10);

	private final Gathering<String> gathering = new Gathering<>(this::answer);

	private List<Answer<String>> answer(List<Question<String>> questions) {
		List<String> asked = questions.stream().map((question) -> question.contender().id()).toList();
		this.statements.add(asked);
		Runnable event = this.during.poll();
		if (event != null) {
			event.run();
		}
		return asked.stream()
			.filter((contender) -> !this.locked.contains(contender))
			.map((contender) -> new Answer<>(contender, "together"))
			.toList();
	}

	@Test
	void thoseThatComeDuringStatementAreAskedByTheNextOne() {
		List<CompletableFuture<String>> later = new ArrayList<>();
		this.during.add(() -> List.of("b", "c").forEach((contender) -> later.add(ask(contender, contender))));
		assertThat(ask("a", "a")).isCompletedWithValue("together");
		assertThat(later).hasSize(2).allSatisfy((answer) -> assertThat(answer).isCompletedWithValue("together"));
		assertThat(this.statements).containsExactly(List.of("a"), List.of("b", "c"));
	}

	@Test
	void contenderThatIsPassedOverAsksAlone() {
		this.locked.add("a");
		assertThat(ask("a", "a")).isCompletedWithValue("alone");
	}

	@Test
	void secondContenderOfLockAsksAlone() {
		List<CompletableFuture<String>> later = new ArrayList<>();
		this.during.add(() -> List.of("b", "c").forEach((contender) -> later.add(ask(contender, "lock"))));
		ask("a", "a");
		assertThat(later.get(0)).isCompletedWithValue("together");
		assertThat(later.get(1)).isCompletedWithValue("alone");
		assertThat(this.statements).containsExactly(List.of("a"), List.of("b"));
	}

	@Test
	void statementThatFailsLeavesTheNextOneToOthers() {
		IllegalStateException failure = new IllegalStateException("broken");
		this.during.add(() -> {
			throw failure;
		});
		assertThat(ask("a", "a")).isCompletedExceptionally();
		assertThat(ask("b", "b")).isCompletedWithValue("together");
	}

	@Test
	void contenderWithoutThreadToAskAloneFails() {
		this.locked.add("a");
		List<Runnable> tasks = new ArrayList<>();
		Executor once = (task) -> {
			if (!tasks.isEmpty()) {
				throw new RejectedExecutionException("closed");
			}
			tasks.add(task);
		};
		CompletableFuture<String> answer = ask("a", "a", once);
		assertThat(answer).isNotDone();
		tasks.get(0).run();
		assertThat(answer).isCompletedExceptionally();
	}

	private CompletableFuture<String> ask(String contender, String lock) {
		return ask(contender, lock, Runnable::run);
	}

	private CompletableFuture<String> ask(String contender, String lock, Executor threads) {
		return this.gathering
			.ask(new LeaseContender(contender, "test", new LockId(lock, null), LockMode.EXCLUSIVE, 1, false),
					Duration.ofSeconds(1), () -> "alone", threads)
			.toCompletableFuture();
	}

}
