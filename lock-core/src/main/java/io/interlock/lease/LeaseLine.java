package io.interlock.lease;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.internal.PrintableText;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A lock with its contenders whose leases run, as an operator has read them from a
 * {@link LeaseStore}. Immutable.
 *
 * @param path what the store calls the lock
 * @param lock the lock, or the readable part of its name and key unless {@code exact}
 * @param exact whether {@code lock} is known exactly
 * @param readable {@code false} if there were too many contenders for one answer, or the
 * store has something else than a lock there
 * @param places the contenders: holders first, then the waiting ones in their order
 * @since 0.1.0
 */
public record LeaseLine(String path, LockId lock, boolean exact, boolean readable, List<Place> places) {

	private static final Comparator<Place> ORDER = Comparator.comparing(Place::waits)
		.thenComparingLong(Place::turn)
		.thenComparing(Place::contender);

	public LeaseLine {
		Assert.hasText(path, "'path' must not be empty");
		Assert.notNull(lock, "'lock' must not be null");
		path = PrintableText.of(path);
		places = places.stream().sorted(ORDER).toList();
	}

	/**
	 * A contender of a lock.
	 *
	 * @param contender its {@linkplain LeaseContender#id() identifier}
	 * @param instance its {@linkplain LeaseContender#instance() text} for operators
	 * @param mode its mode
	 * @param permits how many holders it allows
	 * @param turn where it stands: least first. A contender that goes in front of others
	 * has its number below zero
	 * @param token its token; 0 while it waits
	 * @param leaseEnd when its lease ends, by the clock of the store
	 * @param grantedAt when it got the lock, by the clock of the store; {@code null}
	 * while it waits, and if the store does not know
	 */
	public record Place(String contender, String instance, LockMode mode, int permits, long turn, long token,
			Instant leaseEnd, @Nullable Instant grantedAt) {

		public Place {
			contender = PrintableText.of(contender);
			instance = PrintableText.of(instance);
		}

		boolean waits() {
			return this.token == 0;
		}

		/** Return the number that no other contender of the lock has. */
		long number() {
			return waits() ? Math.abs(this.turn) : this.token;
		}

	}

	/**
	 * Some of the locks in a store.
	 *
	 * @param total number of locks that match the question
	 * @param lines the locks that were asked for, busy ones first where the store has
	 * looked at each
	 */
	public record Lines(int total, List<LeaseLine> lines) {

		public Lines {
			lines = List.copyOf(lines);
		}

	}

}
