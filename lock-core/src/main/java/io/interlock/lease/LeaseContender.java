package io.interlock.lease;

import io.interlock.LockId;
import io.interlock.LockMode;

import org.springframework.util.Assert;

/**
 * One attempt at a lock and, once it is granted, its hold. Immutable.
 *
 * @param id identifier of this contender, never used again; at most 64 characters
 * @param instance identifier of the instance that it belongs to, for operators
 * @param lock the lock
 * @param mode how the lock is to be shared
 * @param permits how many holders there may be at once with {@link LockMode#PERMIT}; 1 in
 * the other modes
 * @param first whether it goes in front of the other waiting contenders, because a grant
 * was lost before it could be used
 * @since 0.1.0
 */
public record LeaseContender(String id, String instance, LockId lock, LockMode mode, int permits, boolean first) {

	public LeaseContender {
		Assert.hasText(id, "'id' must not be empty");
		Assert.hasText(instance, "'instance' must not be empty");
		Assert.notNull(lock, "'lock' must not be null");
		Assert.notNull(mode, "'mode' must not be null");
	}

	@Override
	public String toString() {
		return "%s %s of %s (%s)".formatted(this.mode, this.lock, this.instance, this.id);
	}

}
