package io.interlock.queue;

import java.time.Duration;
import java.util.Map;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.testing.InMemoryAttempt;
import io.interlock.testing.InMemoryHandle;
import io.interlock.testing.InMemoryLockProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A queue in front of a provider that a test decides, and those who ask it: none of them
 * needs a thread, for nobody blocks before he waits for an outcome.
 */
final class QueueUnderTest {

	static final LockRequest WRITER = LockRequest.exclusive("orders").withWaitTime(LockRequest.FOREVER);

	static final LockRequest READER = LockRequest.shared("orders").withWaitTime(LockRequest.FOREVER);

	/**
	 * Tenures that no slow machine lets grow too old.
	 */
	static final Duration LONG = Duration.ofMinutes(10);

	private final InMemoryLockProvider provider = new InMemoryLockProvider().answersNothing();

	private final QueueingLockProvider queue;

	QueueUnderTest(QueueSettings settings) {
		this.queue = new QueueingLockProvider(this.provider, settings);
	}

	static QueueUnderTest withLongTenures() {
		return withTenures(LONG);
	}

	static QueueUnderTest withTenures(Duration maxTenure) {
		return new QueueUnderTest(settings(maxTenure, Integer.MAX_VALUE, Integer.MAX_VALUE));
	}

	static QueueSettings settings(Duration maxTenure, int maxHandoffs, int maxWaiting) {
		return new QueueSettings(true, Map.of(), maxTenure, maxHandoffs, maxWaiting);
	}

	QueueingLockProvider queue() {
		return this.queue;
	}

	InMemoryLockProvider provider() {
		return this.provider;
	}

	LockAttempt ask(LockRequest request) {
		return this.queue.attempt(request, LockOwner.current());
	}

	LockAttempt askAgain(LockRequest request) {
		return this.queue.retry(request, LockOwner.current());
	}

	LockAttempt tryOnce(LockRequest request) {
		return ask(request.withWaitTime(Duration.ZERO));
	}

	/**
	 * Return an attempt that the queue has made at the provider.
	 * @param index the how manieth, from 0
	 * @return the attempt
	 */
	InMemoryAttempt attempt(int index) {
		assertThat(this.provider.attempts()).hasSizeGreaterThan(index);
		return this.provider.attempts().get(index);
	}

	/**
	 * Grant an attempt that the queue has made at the provider.
	 * @param index the how manieth, from 0
	 * @return the grant
	 */
	InMemoryHandle grant(int index) {
		attempt(index).grant();
		return attempt(index).handle();
	}

	int attempts() {
		return this.provider.attempts().size();
	}

	static boolean waits(LockAttempt attempt) {
		return !attempt.outcome().isDone();
	}

	static LockHandle granted(LockAttempt attempt) {
		assertThat(attempt.outcome()).isCompleted();
		return attempt.outcome().join().orElseThrow();
	}

	static boolean refused(LockAttempt attempt) {
		return attempt.outcome().isDone() && attempt.outcome().join().isEmpty();
	}

	void assertNothingIsLeft() {
		assertThat(this.provider.openHandles()).as("grants left open").isZero();
		assertThat(this.queue.queues()).as("queues left").isEmpty();
		assertThat(this.provider.attempts()).allMatch((attempt) -> attempt.outcome().isDone());
	}

}
