package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
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
 * <p>
 * Every hold has one and hardly any is asked for, so it guards itself with its own
 * monitor, within which nothing blocks, and not with another object.
 */
final class Revocation {

	private static final Log logger = LogFactory.getLog(Revocation.class);

	private final LockHandle grant;

	private final Thread holder;

	private final LockListener listeners;

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

	private synchronized List<Consumer<RevocationRequest>> note(RevocationRequest request) {
		List<Consumer<RevocationRequest>> due = this.actions;
		this.actions = List.of();
		this.first = (this.first != null) ? this.first : request;
		return due;
	}

	void add(Consumer<RevocationRequest> action) {
		RevocationRequest request = keepUntilFirst(action);
		if (request != null) {
			run(action, request);
		}
	}

	/**
	 * Keep an action for the first request.
	 * @return the first request, if there was one already
	 */
	private synchronized @Nullable RevocationRequest keepUntilFirst(Consumer<RevocationRequest> action) {
		if (this.first == null) {
			List<Consumer<RevocationRequest>> added = new ArrayList<>(this.actions);
			added.add(action);
			this.actions = added;
		}
		return this.first;
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
