package io.interlock.lease;

import io.interlock.LockId;
import io.interlock.LockMode;

import org.springframework.util.Assert;

/**
 * One attempt at a lock and, once it is granted, its hold. Immutable.
 *
 * @param id identifier of this contender, never used again; at most 59 characters, or 64
 * if it {@linkplain #kept() keeps} a lock without a holder
 * @param instance the instance that it belongs to, since when, and its thread, in one
 * text for operators of at most 255 characters
 * @param lock the lock
 * @param mode how the lock is to be shared
 * @param permits how many holders there may be at once with {@link LockMode#PERMIT}; 1 in
 * the other modes
 * @param first whether it goes in front of the other waiting contenders, because a grant
 * was lost before it could be used
 * @since 0.1.0
 */
public record LeaseContender(String id, String instance, LockId lock, LockMode mode, int permits, boolean first) {

	private static final String KEPT = "kept-";

	public LeaseContender {
		Assert.hasText(id, "'id' must not be empty");
		Assert.hasText(instance, "'instance' must not be empty");
		Assert.notNull(lock, "'lock' must not be null");
		Assert.notNull(mode, "'mode' must not be null");
	}

	/** Return who keeps the lock when the hold of this contender has ended. */
	LeaseContender kept() {
		return new LeaseContender(KEPT + this.id, this.instance, this.lock, this.mode, this.permits, false);
	}

	static boolean isKept(String id) {
		return id.startsWith(KEPT);
	}

	@Override
	public String toString() {
		return "%s %s of %s (%s)".formatted(this.mode, this.lock, this.instance, this.id);
	}

}
