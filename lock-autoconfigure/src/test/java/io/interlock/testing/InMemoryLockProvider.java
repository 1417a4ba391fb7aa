package io.interlock.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A {@link LockProvider} that does what a test tells it. Grants everything at once unless
 * told otherwise, to everybody: it excludes nobody, so that what a test sees is the work
 * of the template alone. It keeps the contract of {@link io.interlock.LockAttempt} to the
 * letter, and counts what a leak would show.
 */
public final class InMemoryLockProvider implements LockProvider {

	private final List<InMemoryAttempt> attempts = Collections.synchronizedList(new ArrayList<>());

	private final BlockingQueue<InMemoryAttempt> arrivals = new LinkedBlockingQueue<>();

	private final AtomicInteger openHandles = new AtomicInteger();

	private final AtomicLong tokens = new AtomicLong(100);

	private volatile boolean remembers = true;

	private volatile Consumer<InMemoryAttempt> answer = InMemoryAttempt::grant;

	/**
	 * Say what happens to an attempt on the thread that makes it.
	 * @param answer for example {@link InMemoryAttempt#deny}
	 * @return this
	 */
	public InMemoryLockProvider answers(Consumer<InMemoryAttempt> answer) {
		this.answer = answer;
		return this;
	}

	/**
	 * Leave attempts unanswered until the test answers them itself.
	 * @return this
	 */
	public InMemoryLockProvider answersNothing() {
		return answers((attempt) -> {
		});
	}

	/**
	 * Do not keep attempts, for tests that make very many and answer them on the spot.
	 * @return this
	 */
	public InMemoryLockProvider forgetting() {
		this.remembers = false;
		return this;
	}

	@Override
	public InMemoryAttempt attempt(LockRequest request, LockOwner owner) {
		InMemoryAttempt attempt = new InMemoryAttempt(request, owner, this.tokens.incrementAndGet(), this.openHandles);
		if (!this.remembers) {
			this.answer.accept(attempt);
			return attempt;
		}
		this.attempts.add(attempt);
		this.answer.accept(attempt);
		this.arrivals.add(attempt);
		return attempt;
	}

	/**
	 * Wait for the next attempt, in the order in which they were made.
	 * @return the attempt
	 */
	public InMemoryAttempt awaitAttempt() {
		try {
			InMemoryAttempt attempt = this.arrivals.poll(10, TimeUnit.SECONDS);
			assertThat(attempt).as("next attempt").isNotNull();
			return attempt;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public List<InMemoryAttempt> attempts() {
		return this.attempts;
	}

	/**
	 * Return the only hold that was ever granted.
	 * @return the hold
	 */
	public InMemoryHandle onlyGrant() {
		assertThat(this.attempts).hasSize(1);
		return this.attempts.get(0).handle();
	}

	/**
	 * Return how many holds were granted and not released.
	 * @return the number; 0 if nothing leaked
	 */
	public int openHandles() {
		return this.openHandles.get();
	}

}
