package io.interlock.leader;

import java.time.Duration;
import java.util.Objects;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * One election: its members here, and the attempt or the grant that they share. Every
 * change is a {@link #step}, which compares what is wanted with what there is. Steps run
 * one after the other, so that the callbacks of a term come in order, and the next
 * attempt begins only when the members were told that the last term has ended.
 */
final class Election {

	private static final Log logger = LogFactory.getLog(Election.class);

	private static final long FIRST_DELAY_MILLIS = 100;

	private static final long LONGEST_DELAY_MILLIS = 5000;

	private final String name;

	private final LockRequest request;

	private final LockProvider provider;

	private final LeaderElection elections;

	private final List<Member> members = new CopyOnWriteArrayList<>();

	private CompletableFuture<Boolean> steps = CompletableFuture.completedFuture(true);

	private volatile @Nullable LockAttempt attempt;

	/** The grant of this term or the last one. */
	private volatile @Nullable LockGrant grant;

	private volatile boolean pausing;

	private volatile boolean yielded;

	// Used by steps only.

	private boolean granted;

	private boolean told;

	private int failures;

	private long begunAt;

	Election(LockId id, LockProvider provider, LeaderElection elections) {
		String key = Objects.requireNonNull(id.key());
		this.name = (id.provider() != null) ? key + "@" + id.provider() : key;
		LockRequest request = LockRequest.exclusive(id.name()).withKey(key).withWaitTime(LockRequest.FOREVER);
		this.request = (id.provider() != null) ? request.withProvider(id.provider()) : request;
		this.provider = provider;
		this.elections = elections;
	}

	String name() {
		return this.name;
	}

	Leadership join(@Nullable LeadershipListener listener) {
		Member member = new Member(listener);
		this.members.add(member);
		wake();
		return member;
	}

	boolean isLeader() {
		LockGrant current = this.grant;
		return isWanted() && current != null && current.state() == LockState.VALID;
	}

	private boolean isWanted() {
		return this.elections.contends() && !this.yielded;
	}

	private void yield(Duration pause) {
		if (isLeader()) {
			this.yielded = true;
			wake().whenComplete((done, failure) -> later(() -> this.yielded = false, pause.toMillis()));
		}
	}

	long token() {
		LockGrant current = this.grant;
		Assert.state(current != null, () -> "This instance has never led '%s'".formatted(this.name));
		return current.fencingToken();
	}

	LockException refusal() {
		LockAttempt current = this.attempt;
		if (current != null && current.phase() == Phase.QUEUED) {
			return new LockNotAcquiredException("Another instance leads '%s'".formatted(this.name), this.request.id(),
					Duration.ZERO, null);
		}
		return new LockServiceUnavailableException(
				"Which instance leads '%s' is not known: the lock service has not answered, or this instance is not ready or stopping"
					.formatted(this.name),
				this.request.id(), Duration.ZERO, null);
	}

	/** Run a step on a thread that may block; the future completes afterwards. */
	synchronized CompletableFuture<Boolean> wake() {
		this.members.forEach(Member::interruptIfOver);
		this.steps = this.steps.whenCompleteAsync((before, failure) -> step(), this.elections::execute);
		return this.steps;
	}

	private void step() {
		boolean wanted = isWanted() && this.members.stream().anyMatch((member) -> !member.closed);
		LockAttempt begun = this.attempt;
		if (begun != null && !wanted) {
			begun.abandon();
		}
		if (begun != null && begun.outcome().isDone()) {
			this.attempt = null;
			end(begun);
		}
		LockGrant current = this.grant;
		boolean over = this.granted && current != null && (!wanted || current.state() == LockState.LOST);
		tell(this.granted && !over && (this.told || isLeader()));
		if (over && current != null) {
			this.granted = false;
			current.release();
		}
		if (wanted && !this.granted && this.attempt == null && !this.pausing) {
			begin();
		}
	}

	private void begin() {
		this.begunAt = System.nanoTime();
		try {
			LockAttempt begun = this.provider.attempt(this.request,
					new LockCaller("leader election", Instant.now(), null, false));
			this.attempt = begun;
			begun.outcome().whenComplete((grant, failure) -> wake());
		}
		catch (RuntimeException | Error ex) {
			retryLater(ex);
		}
	}

	private void end(LockAttempt ended) {
		try {
			Optional<LockGrant> grant = ended.outcome().join();
			if (grant.isPresent()) {
				hold(grant.get());
			}
			else {
				retryLater(new IllegalStateException("The provider did not wait"));
			}
		}
		catch (CancellationException ex) {
			// Not wanted any more, or the next step begins another attempt.
		}
		catch (CompletionException ex) {
			retryLater(ex);
		}
	}

	private void hold(LockGrant grant) {
		this.grant = grant;
		this.granted = true;
		this.failures = 0;
		grant.onStateChange((state) -> wake());
	}

	private void retryLater(Throwable failure) {
		if (System.nanoTime() - this.begunAt > TimeUnit.MILLISECONDS.toNanos(LONGEST_DELAY_MILLIS)) {
			// The last attempt lasted for a while, so this is a new outage.
			this.failures = 0;
		}
		long delay = Math.min(FIRST_DELAY_MILLIS << Math.min(this.failures, 10), LONGEST_DELAY_MILLIS);
		this.pausing = true;
		later(() -> this.pausing = false, delay);
		if (this.failures == 0) {
			logger.warn("Election '%s' cannot be joined. It is tried again".formatted(this.name), failure);
		}
		this.failures++;
	}

	private void later(Runnable change, long delayMillis) {
		Runnable step = () -> {
			change.run();
			wake();
		};
		try {
			this.elections.executeLater(step, delayMillis);
		}
		catch (Throwable ex) {
			// No timer can be started, and a step without a pause is better than none.
			step.run();
		}
	}

	private void tell(boolean leads) {
		for (Member member : this.members) {
			member.tell(leads);
		}
		if (leads != this.told) {
			this.told = leads;
			long token = token();
			logger.info(
					"This instance %s '%s', token %d".formatted(leads ? "leads" : "no longer leads", this.name, token));
			safely(() -> this.elections.publish(leads ? new LeadershipGrantedEvent(this.name, token)
					: new LeadershipRevokedEvent(this.name, token)));
		}
	}

	private void safely(Runnable callback) {
		try {
			callback.run();
		}
		catch (Throwable ex) {
			logger.warn("A listener of election '%s' failed; the election goes on".formatted(this.name), ex);
		}
	}

	private final class Member implements Leadership {

		private final @Nullable LeadershipListener listener;

		private volatile boolean closed;

		private boolean told;

		/**
		 * Thread that runs {@code onGranted}. Set and interrupted under the monitor of
		 * this member.
		 */
		private @Nullable Thread granting;

		Member(@Nullable LeadershipListener listener) {
			this.listener = listener;
		}

		void tell(boolean leads) {
			boolean news = leads && !this.closed;
			if (news != this.told) {
				this.told = news;
				safely(() -> call(news));
			}
			if (!news && this.closed) {
				Election.this.members.remove(this);
			}
		}

		private void call(boolean leads) {
			if (this.listener != null && leads) {
				grant(this.listener);
			}
			else if (this.listener != null) {
				this.listener.onRevoked(this);
			}
		}

		private void grant(LeadershipListener listener) {
			begin(Thread.currentThread());
			try {
				interruptIfOver();
				listener.onGranted(this);
			}
			finally {
				begin(null);
				Thread.interrupted();
			}
		}

		private synchronized void begin(@Nullable Thread granting) {
			this.granting = granting;
		}

		synchronized void interruptIfOver() {
			LockGrant current = Election.this.grant;
			if (this.granting != null
					&& (this.closed || !isWanted() || current == null || current.state() == LockState.LOST)) {
				this.granting.interrupt();
			}
		}

		@Override
		public boolean isLeader() {
			return !this.closed && Election.this.isLeader();
		}

		@Override
		public long token() {
			return Election.this.token();
		}

		@Override
		public void yield(Duration pause) {
			Assert.isTrue(!pause.isNegative(), "'pause' must not be negative");
			if (!this.closed) {
				Election.this.yield(pause);
			}
		}

		@Override
		public void close() {
			this.closed = true;
			wake();
		}

	}

}
