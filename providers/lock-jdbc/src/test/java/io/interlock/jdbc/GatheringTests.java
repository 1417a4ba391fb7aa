package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.jdbc.Gathering.Answer;
import io.interlock.jdbc.Gathering.Question;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Gathering}.
 */
class GatheringTests {

	private final List<List<String>> statements = new ArrayList<>();

	private final List<String> locked = new ArrayList<>();

	private final List<String> poisoned = new ArrayList<>();

	private final List<String> alone = new ArrayList<>();

	private final Queue<Runnable> during = new ArrayBlockingQueue<>(10);

	private final Gathering<String> gathering = new Gathering<>(this::answer);

	private List<Answer<String>> answer(List<Question<String>> questions) {
		List<String> asked = questions.stream().map((question) -> question.contender().id()).toList();
		this.statements.add(asked);
		Runnable event = this.during.poll();
		if (event != null) {
			event.run();
		}
		asked.stream().filter(this.poisoned::contains).forEach(this::refuse);
		return asked.stream()
			.filter((contender) -> !this.locked.contains(contender))
			.map((contender) -> new Answer<>(contender, "together"))
			.toList();
	}

	private void refuse(String contender) {
		throw LeaseStoreException.lasting("the test refuses " + contender, null);
	}

	private String askAlone(String contender) {
		this.alone.add(contender);
		if (this.poisoned.contains(contender)) {
			refuse(contender);
		}
		return "alone";
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
	void failureThatStaysFailsItsOwnContenderOnly() {
		this.poisoned.add("b");
		List<CompletableFuture<String>> answers = askTogether("a", "b", "c");
		assertThat(answers.get(0)).isCompletedWithValue("alone");
		assertThat(answers.get(1)).failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining("the test refuses b");
		assertThat(answers.get(2)).isCompletedWithValue("alone");
	}

	@Test
	void lockThatFailsAloneIsNoLongerAskedForWithOthers() {
		this.poisoned.add("b");
		askTogether("a", "b", "c");
		this.statements.clear();
		assertThat(askTogether("a", "b", "c").get(1)).isCompletedExceptionally();
		assertThat(this.statements).containsExactly(List.of("first"), List.of("a", "c"));
	}

	@Test
	void lockIsAskedForWithOthersAgainOnceItHasSucceededAlone() {
		this.poisoned.add("b");
		askTogether("a", "b", "c");
		this.poisoned.clear();
		assertThat(ask("b", "b")).isCompletedWithValue("alone");
		this.statements.clear();
		askTogether("a", "b", "c");
		assertThat(this.statements).containsExactly(List.of("first"), List.of("a", "b", "c"));
	}

	@Test
	void outageIsNotAskedAboutOnceForEachContender() {
		List<CompletableFuture<String>> answers = new ArrayList<>();
		this.during.add(() -> {
			List.of("a", "b").forEach((contender) -> answers.add(ask(contender, contender)));
			this.during.add(() -> {
				throw LeaseStoreException.passing("the test has an outage", null);
			});
		});
		ask("first", "first");
		assertThat(answers).hasSize(2).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(this.alone).isEmpty();
	}

	/** The leader ends between the look at it and the question that is left to it. */
	@Test
	void questionThatIsLeftToLeaderThatHasEndedIsAskedAllTheSame() throws Exception {
		CountDownLatch late = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		Queue<Question<String>> waiting = new ConcurrentLinkedQueue<>() {

			@Override
			public boolean add(Question<String> question) {
				if (question.contender().id().equals("late") && late.getCount() > 0) {
					late.countDown();
					awaitUninterruptibly(ended);
				}
				return super.add(question);
			}

		};
		Gathering<String> raced = new Gathering<>(this::answer, waiting);
		CountDownLatch led = new CountDownLatch(1);
		this.during.add(() -> {
			led.countDown();
			awaitUninterruptibly(late);
		});
		Background<Boolean> leader = Background.start(() -> {
			ask(raced, "first", "first", Runnable::run);
			ended.countDown();
			return true;
		});
		awaitUninterruptibly(led);
		assertThat(ask(raced, "late", "late", Runnable::run)).isCompletedWithValue("together");
		leader.join();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Ask for contenders by one statement. */
	private List<CompletableFuture<String>> askTogether(String... contenders) {
		List<CompletableFuture<String>> answers = new ArrayList<>();
		this.during.add(() -> List.of(contenders).forEach((contender) -> answers.add(ask(contender, contender))));
		ask("first", "first");
		return answers;
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
		return ask(this.gathering, contender, lock, threads);
	}

	private CompletableFuture<String> ask(Gathering<String> gathering, String contender, String lock,
			Executor threads) {
		return gathering
			.ask(new LeaseContender(contender, "test", new LockId(lock, null), LockMode.EXCLUSIVE, 1, false),
					Duration.ofSeconds(1), () -> askAlone(contender), threads)
			.toCompletableFuture();
	}

}
