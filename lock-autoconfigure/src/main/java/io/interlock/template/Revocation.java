package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.RevocationRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What one holder does when it is asked to give its lock up. Invariant: every action runs
 * once if there is a request, also one that is added meanwhile or afterwards.
 */
final class Revocation {

	private static final Log logger = LogFactory.getLog(Revocation.class);

	private final LockHandle grant;

	private final Thread holder;

	private final LockListener listeners;

	private final ReentrantLock lock = new ReentrantLock();

	private List<Consumer<RevocationRequest>> actions = List.of();

	private @Nullable RevocationRequest first;

	Revocation(LockHandle grant, Thread holder, LockListener listeners) {
		this.grant = grant;
		this.holder = holder;
		this.listeners = listeners;
	}

	/**
	 * Pass on that an operator asks for the lock, of which the actions hear first and
	 * once, and the listeners each time.
	 */
	void request(RevocationRequest request) {
		logger.warn(("%s asks for lock %s to be given up, which thread '%s' has held since %s with token %d. It stays "
				+ "held until that thread ends it")
			.formatted(request.requestedBy(), this.grant.id(), this.holder.getName(), this.grant.acquiredAt(),
					this.grant.fencingToken()));
		note(request).forEach((action) -> run(action, request));
		this.listeners.onRevocationRequested(this.grant, request);
	}

	private List<Consumer<RevocationRequest>> note(RevocationRequest request) {
		this.lock.lock();
		try {
			List<Consumer<RevocationRequest>> due = this.actions;
			this.actions = List.of();
			this.first = (this.first != null) ? this.first : request;
			return due;
		}
		finally {
			this.lock.unlock();
		}
	}

	void add(Consumer<RevocationRequest> action) {
		RevocationRequest request;
		this.lock.lock();
		try {
			request = this.first;
			if (request == null) {
				List<Consumer<RevocationRequest>> added = new ArrayList<>(this.actions);
				added.add(action);
				this.actions = added;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (request != null) {
			run(action, request);
		}
	}

	private static void run(Consumer<RevocationRequest> action, RevocationRequest request) {
		try {
			action.accept(request);
		}
		catch (Exception | LinkageError ex) {
			logger.warn("An action for a requested revocation failed; the lock is not affected", ex);
		}
	}

}
