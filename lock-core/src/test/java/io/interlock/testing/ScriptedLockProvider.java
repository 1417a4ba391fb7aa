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

import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A {@link LockProvider} that does what a test tells it. Grants everything at once unless
 * told otherwise, to everybody: it excludes nobody, so that what a test sees is the work
 * of the template alone. It keeps the contract of
 * {@link io.interlock.provider.LockAttempt} to the letter, and counts what a leak would
 * show.
 */
public final class ScriptedLockProvider implements LockProvider {

	private final List<ScriptedAttempt> attempts = Collections.synchronizedList(new ArrayList<>());

	private final BlockingQueue<ScriptedAttempt> arrivals = new LinkedBlockingQueue<>();

	private final AtomicInteger openGrants = new AtomicInteger();

	private final AtomicLong tokens = new AtomicLong(100);

	private volatile boolean remembers = true;

	private volatile Consumer<ScriptedAttempt> answer = ScriptedAttempt::grant;

	/**
	 * Say what happens to an attempt on the thread that makes it.
	 * @param answer for example {@link ScriptedAttempt#deny}
	 * @return this
	 */
	public ScriptedLockProvider answers(Consumer<ScriptedAttempt> answer) {
		this.answer = answer;
		return this;
	}

	/**
	 * Leave attempts unanswered until the test answers them itself.
	 * @return this
	 */
	public ScriptedLockProvider answersNothing() {
		return answers((attempt) -> {
		});
	}

	/**
	 * Do not keep attempts, for tests that make very many and answer them on the spot.
	 * @return this
	 */
	public ScriptedLockProvider forgetting() {
		this.remembers = false;
		return this;
	}

	@Override
	public ScriptedAttempt attempt(LockRequest request, LockCaller owner) {
		ScriptedAttempt attempt = new ScriptedAttempt(request, owner, this.tokens.incrementAndGet(), this.openGrants);
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
	public ScriptedAttempt awaitAttempt() {
		try {
			ScriptedAttempt attempt = this.arrivals.poll(10, TimeUnit.SECONDS);
			assertThat(attempt).as("next attempt").isNotNull();
			return attempt;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public List<ScriptedAttempt> attempts() {
		return this.attempts;
	}

	/**
	 * Return the only hold that was ever granted.
	 * @return the hold
	 */
	public ScriptedGrant onlyGrant() {
		assertThat(this.attempts).hasSize(1);
		return this.attempts.get(0).granted();
	}

	/**
	 * Return how many holds were granted and not released.
	 * @return the number; 0 if nothing leaked
	 */
	public int openGrants() {
		return this.openGrants.get();
	}

}
