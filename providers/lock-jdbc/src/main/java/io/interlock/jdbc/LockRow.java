package io.interlock.jdbc;

import java.util.List;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import org.jspecify.annotations.Nullable;

/**
 * The contenders of a lock, as one query has seen them. Its holder in exclusive mode is
 * the row of the lock; all others, holders and waiters, are rows of their own.
 *
 * @param owner identifier of the exclusive holder whose lease runs, or {@code null}
 * @param ownerToken token of the last exclusive holder
 * @param lastToken the last number that was given out by a transaction in turn; the last
 * one of all to the transaction that has just got it
 * @param queued whether the row says that there are rows of contenders
 * @param places the rows of contenders, in the order of their turns
 */
record LockRow(@Nullable String owner, long ownerToken, long lastToken, boolean queued, List<Row> places) {

	Optional<Row> placeOf(LeaseContender contender) {
		return this.places.stream()
			.filter((place) -> place.alive() && place.contender().equals(contender.id()))
			.findFirst();
	}

	List<String> dead() {
		return this.places.stream().filter((place) -> !place.alive()).map(Row::contender).toList();
	}

	boolean isOwnedBy(LeaseContender contender) {
		return contender.id().equals(this.owner);
	}

	/**
	 * Return the greatest token of the holders, or 0.
	 */
	long holderToken() {
		return (this.owner != null) ? this.ownerToken
				: this.places.stream()
					.filter((place) -> place.alive() && place.token() != null)
					.mapToLong(Row::token)
					.max()
					.orElse(0);
	}

	/**
	 * Return whether there are living contenders beside one.
	 */
	boolean hasOthers(LeaseContender contender) {
		return this.places.stream().anyMatch((place) -> place.alive() && !place.contender().equals(contender.id()));
	}

	/**
	 * Return whether it is the turn of a contender: nothing that it has to wait for holds
	 * the lock, or waits in front.
	 */
	boolean admits(LeaseContender contender) {
		if (this.owner != null) {
			return false;
		}
		long turn = placeOf(contender).map(Row::turn).orElse(contender.first() ? Long.MIN_VALUE : Long.MAX_VALUE);
		List<Row> inFront = this.places.stream()
			.filter((place) -> place.alive() && !place.contender().equals(contender.id()))
			.filter((place) -> place.token() != null || place.turn() < turn)
			.toList();
		int permits = inFront.stream()
			.filter((place) -> place.mode() == LockMode.PERMIT)
			.mapToInt(Row::permits)
			.reduce(contender.permits(), Math::min);
		return inFront.stream().noneMatch((place) -> place.mode().excludes(contender.mode()))
				&& (contender.mode() != LockMode.PERMIT || inFront.size() < permits);
	}

	/**
	 * Return whether a contender has no place, and cannot have the lock now.
	 */
	boolean refuses(LeaseContender contender) {
		return !isOwnedBy(contender) && placeOf(contender).isEmpty() && !admits(contender);
	}

	/**
	 * Return whether a contender has a place, and its turn has not come.
	 */
	boolean keepsWaiting(LeaseContender contender) {
		return !isOwnedBy(contender) && placeOf(contender).filter((place) -> place.token() == null).isPresent()
				&& !admits(contender);
	}

	/**
	 * The row of a contender.
	 *
	 * @param contender its identifier
	 * @param mode its mode
	 * @param permits how many holders it allows
	 * @param turn its place in the order
	 * @param token its token, or {@code null} while it waits
	 * @param alive whether its lease runs
	 */
	record Row(String contender, LockMode mode, int permits, long turn, @Nullable Long token, boolean alive) {

	}

}
