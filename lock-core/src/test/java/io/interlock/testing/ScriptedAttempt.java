package io.interlock.testing;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;

/**
 * An attempt that a test decides.
 */
public final class ScriptedAttempt implements LockAttempt {

	private final LockRequest request;

	private final LockCaller owner;

	private final ScriptedGrant granted;

	private final AtomicInteger openGrants;

	private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

	private volatile Phase phase = Phase.QUEUED;

	private volatile boolean told = true;

	private volatile Runnable onAbandon = () -> {
	};

	private volatile boolean abandoned;

	ScriptedAttempt(LockRequest request, LockCaller owner, long token, AtomicInteger openGrants) {
		this.request = request;
		this.owner = owner;
		this.openGrants = openGrants;
		this.granted = new ScriptedGrant(request, token, openGrants);
	}

	/**
	 * Grant the lock. A grant that comes too late is released, as the contract demands.
	 */
	public void grant() {
		this.openGrants.incrementAndGet();
		if (!this.outcome.complete(Optional.of(this.granted))) {
			this.granted.release();
		}
	}

	public void deny() {
		this.outcome.complete(Optional.empty());
	}

	public void fail(Throwable failure) {
		this.outcome.completeExceptionally(failure);
	}

	public ScriptedAttempt at(Phase phase) {
		this.phase = phase;
		return this;
	}

	/**
	 * Know from holders in this JVM alone that others hold the lock.
	 */
	public void concludesFromThisJvm() {
		this.told = false;
	}

	/**
	 * Do something in the last instant before this attempt is given up.
	 * @param action what to do, for example {@link #grant}
	 * @return this
	 */
	public ScriptedAttempt whenAbandoned(Runnable action) {
		this.onAbandon = action;
		return this;
	}

	@Override
	public CompletableFuture<Optional<LockGrant>> outcome() {
		return this.outcome;
	}

	@Override
	public boolean isToldOfOthers() {
		return this.told;
	}

	@Override
	public Phase phase() {
		return this.phase;
	}

	@Override
	public void abandon() {
		this.onAbandon.run();
		this.abandoned = true;
		this.outcome.cancel(false);
	}

	public LockRequest request() {
		return this.request;
	}

	public LockCaller owner() {
		return this.owner;
	}

	public ScriptedGrant granted() {
		return this.granted;
	}

	public boolean isAbandoned() {
		return this.abandoned;
	}

}
