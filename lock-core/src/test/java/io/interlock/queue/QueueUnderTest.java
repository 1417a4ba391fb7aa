package io.interlock.queue;

import java.time.Duration;
import java.util.Map;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A queue in front of a provider that a test decides, and callers that ask it: none of
 * them needs a thread, because none blocks before it waits for an outcome.
 */
final class QueueUnderTest {

	static final LockRequest WRITER = LockRequest.exclusive("orders").withWaitTime(LockRequest.FOREVER);

	static final LockRequest READER = LockRequest.shared("orders").withWaitTime(LockRequest.FOREVER);

	/**
	 * Tenures that no slow machine lets grow too old.
	 */
	static final Duration LONG = Duration.ofMinutes(10);

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answersNothing();

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

	ScriptedLockProvider provider() {
		return this.provider;
	}

	LockAttempt ask(LockRequest request) {
		return this.queue.attempt(request, LockCaller.current());
	}

	LockAttempt askAgain(LockRequest request) {
		return this.queue.attempt(request, LockCaller.current().retrying());
	}

	LockAttempt tryOnce(LockRequest request) {
		return ask(request.withWaitTime(Duration.ZERO));
	}

	/**
	 * Return an attempt that the queue has made at the provider.
	 * @param index the how manieth, from 0
	 * @return the attempt
	 */
	ScriptedAttempt attempt(int index) {
		assertThat(this.provider.attempts()).hasSizeGreaterThan(index);
		return this.provider.attempts().get(index);
	}

	/**
	 * Grant an attempt that the queue has made at the provider.
	 * @param index the how manieth, from 0
	 * @return the grant
	 */
	ScriptedGrant grant(int index) {
		attempt(index).grant();
		return attempt(index).granted();
	}

	int attempts() {
		return this.provider.attempts().size();
	}

	static boolean waits(LockAttempt attempt) {
		return !attempt.outcome().isDone();
	}

	static LockGrant granted(LockAttempt attempt) {
		assertThat(attempt.outcome()).isCompleted();
		return attempt.outcome().join().orElseThrow();
	}

	static boolean refused(LockAttempt attempt) {
		return attempt.outcome().isDone() && attempt.outcome().join().isEmpty();
	}

	static void onLoss(LockGrant grant, Runnable action) {
		grant.onStateChange((state) -> {
			if (state == LockState.LOST) {
				action.run();
			}
		});
	}

	void assertNothingIsLeft() {
		assertThat(this.provider.openGrants()).as("grants left open").isZero();
		assertThat(this.queue.queues()).as("queues left").isEmpty();
		assertThat(this.provider.attempts()).allMatch((attempt) -> attempt.outcome().isDone());
	}

}
