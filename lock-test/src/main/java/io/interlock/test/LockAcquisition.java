package io.interlock.test;

import java.time.Instant;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockState;

/**
 * A lock that the application has acquired. Joining one's own hold again is no
 * acquisition.
 *
 * @param id which lock
 * @param mode how it is or was held
 * @param fencingToken the token of the hold
 * @param acquiredAt when it was acquired, by the wall clock of this machine
 * @param state how it ended, {@link LockState#RELEASED} or {@link LockState#LOST}, or
 * what its holder knows about it while it is held
 * @since 0.1.0
 */
public record LockAcquisition(LockId id, LockMode mode, long fencingToken, Instant acquiredAt, LockState state) {

	@Override
	public String toString() {
		return "%s %s, token %d, acquired at %s: %s".formatted(this.id, this.mode, this.fencingToken, this.acquiredAt,
				this.state);
	}

}
