package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;

/**
 * Asks for several contenders by one statement. Contenders that come while it is under
 * way are in the next one, as in a group commit. Safe for use by many threads.
 * <p>
 * Invariants:
 * <ul>
 * <li>One thread leads at a time, and it leaves no contender behind when it ends.
 * <li>A leader waits for no row. A contender that the statement passes over asks alone,
 * on a thread that may wait.
 * <li>No statement has two contenders of one lock: the first one is asked for.
 * <li>A failure that stays fails the contender that has caused it, and no other one: each
 * contender of the statement asks alone. A lock whose contender fails alone too is asked
 * for alone, until that succeeds, so each such lock costs the others one statement.
 * </ul>
 *
 * @param <T> type of the answer
 */
final class Gathering<T> {

	private static final int MOST = 100;

	private final Function<List<Question<T>>, List<Answer<T>>> statement;

	private final Queue<Question<T>> waiting;

	/** Locks whose contenders make a statement fail. */
	private final Set<LockId> apart = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean led = new AtomicBoolean();

	/**
	 * Create a gathering.
	 * @param statement asks for some contenders, waits for no row, and answers for those
	 * that it does not pass over
	 */
	Gathering(Function<List<Question<T>>, List<Answer<T>>> statement) {
		this(statement, new ConcurrentLinkedQueue<>());
	}

	Gathering(Function<List<Question<T>>, List<Answer<T>>> statement, Queue<Question<T>> waiting) {
		this.statement = statement;
		this.waiting = waiting;
	}

	/**
	 * Ask for a contender.
	 * @param contender the contender
	 * @param lease what the statement needs to know besides
	 * @param alone asks for the contender if the statement has passed it over
	 * @param threads threads that may block
	 * @return the answer
	 */
	CompletionStage<T> ask(LeaseContender contender, Duration lease, Supplier<T> alone, Executor threads) {
		Question<T> question = new Question<>(contender, lease, alone, threads, new CompletableFuture<>());
		if (this.apart.contains(contender.lock())) {
			askApart(question);
		}
		else if (!leaveToLeader(question)) {
			threads.execute(() -> ask(question));
		}
		return question.answer();
	}

	/** Return whether a leader takes the question, so that it needs no thread. */
	private boolean leaveToLeader(Question<T> question) {
		if (!this.led.get()) {
			return false;
		}
		this.waiting.add(question);
		if (this.led.get()) {
			return true;
		}
		// The leader may have ceased before, or it has taken the question.
		boolean untouched = this.waiting.remove(question);
		return !untouched;
	}

	private void ask(Question<T> question) {
		this.waiting.add(question);
		while (!this.waiting.isEmpty() && this.led.compareAndSet(false, true)) {
			try {
				lead();
			}
			finally {
				this.led.set(false);
			}
		}
	}

	private void lead() {
		Map<String, Question<T>> asked = new LinkedHashMap<>();
		Set<LockId> locks = new HashSet<>();
		List<Question<T>> others = new ArrayList<>();
		try {
			Question<T> next = this.waiting.poll();
			while (next != null) {
				if (locks.add(next.contender().lock())) {
					asked.put(next.contender().id(), next);
				}
				else {
					others.add(next);
				}
				next = (asked.size() < MOST) ? this.waiting.poll() : null;
			}
			for (Answer<T> answer : this.statement.apply(List.copyOf(asked.values()))) {
				Question<T> answered = asked.remove(answer.contender());
				if (answered != null) {
					answered.answer().complete(answer.value());
				}
			}
			asked.values().forEach(Question::askAlone);
		}
		catch (Throwable ex) {
			if (isLasting(ex)) {
				asked.values().forEach(this::askApart);
			}
			else {
				asked.values().forEach((each) -> each.answer().completeExceptionally(ex));
			}
		}
		others.forEach(Question::askAlone);
	}

	private void askApart(Question<T> question) {
		LockId lock = question.contender().lock();
		question.askAlone();
		question.answer().whenComplete((answer, failure) -> {
			if (failure == null) {
				this.apart.remove(lock);
			}
			else if (isLasting(failure) && this.apart.size() < MOST) {
				this.apart.add(lock);
			}
		});
	}

	private static boolean isLasting(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return cause instanceof LeaseStoreException refusal && !refusal.isPassing();
	}

	/**
	 * What a statement answers to one of its contenders.
	 *
	 * @param <T> type of the answer
	 * @param contender identifier of the contender
	 * @param value the answer
	 */
	record Answer<T>(String contender, T value) {

	}

	/**
	 * A contender that asks.
	 *
	 * @param <T> type of the answer
	 * @param contender the contender
	 * @param lease length of its lease
	 * @param alone asks if the statement passes it over
	 * @param threads threads that may block
	 * @param answer the answer
	 */
	record Question<T>(LeaseContender contender, Duration lease, Supplier<T> alone, Executor threads,
			CompletableFuture<T> answer) {

		static <T> String[] texts(List<Question<T>> questions, Function<LeaseContender, String> text) {
			return questions.stream().map(Question::contender).map(text).toArray(String[]::new);
		}

		void askAlone() {
			try {
				this.answer.completeAsync(this.alone, this.threads);
			}
			catch (Throwable ex) {
				this.answer.completeExceptionally(ex);
			}
		}

	}

}
