package io.interlock.admin;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link LockAdministrator} that knows the coordination service. Methods
 * return within a second, whatever the state of the service, and throw the exceptions of
 * {@link LockAdministrator}. Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockRevoker {

	/** Delete one contender, as for {@link LockAdministrator#release}. */
	Target release(LockId id, long token);

	/**
	 * Ask the holder of a lock to give it up, without waiting for it, as for
	 * {@link LockAdministrator#requestRevocation}. A lock that is kept without a holder
	 * is deleted instead, because nothing else would give it up.
	 * @throws UnsupportedOperationException if the holder cannot be asked by this
	 * instance, with the reason and what to do
	 */
	Target requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request);

	/**
	 * The contender for a lock that an operator addressed by its token.
	 *
	 * @param id the lock
	 * @param token token of the contender
	 * @param path path of its node, or its identifier in a database or Redis
	 * @param owner owner of the node, as far as its data tells
	 * @param freed whether it has gone: it was deleted, or has given the lock up already;
	 * otherwise its holder is asked
	 * @param kept whether the lock was kept by it without a holder, for a minimum time or
	 * for an operator
	 */
	record Target(LockId id, long token, String path, @Nullable ContenderOwner owner, boolean freed, boolean kept) {

		/** Create a contender that holds the lock, or waits for it. */
		public Target(LockId id, long token, String path, @Nullable ContenderOwner owner, boolean freed) {
			this(id, token, path, owner, freed, false);
		}

	}

}
