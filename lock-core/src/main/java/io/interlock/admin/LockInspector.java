package io.interlock.admin;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Reads the locks of all clients, with their holders and waiters, from the coordination
 * service. The permission to read is enough. Implementations are safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Read locks one after the other, within a second, whatever the state of the service.
	 * @param query which locks to read
	 * @return the locks
	 * @throws LockInspectionException if they could not be read
	 * @throws UnsupportedOperationException if the store does not tell them, with the
	 * reason and what to do
	 */
	Page locks(Query query);

	/**
	 * Read one lock, with a hundred contenders at most.
	 * @param id the lock
	 * @return the lock; empty if the store knows nothing of it
	 * @throws LockInspectionException if it could not be read
	 * @throws UnsupportedOperationException as for {@link #locks}
	 */
	default Optional<QueuedLock> lock(LockId id) {
		return locks(new Query(id.name(), id.key(), 0, Query.MAX_LIMIT, 100)).locks()
			.stream()
			.filter((lock) -> Objects.equals(lock.key(), id.key()))
			.findFirst();
	}

	/** Return the holders of a lock in one line, for people, as far as they are known. */
	default String holders(LockId id) {
		try {
			return lock(id).stream()
				.flatMap((lock) -> lock.holders().stream())
				.flatMap((holder) -> Stream.ofNullable(holder.summary()))
				.collect(Collectors.joining(", "));
		}
		catch (LockInspectionException | UnsupportedOperationException ex) {
			return "";
		}
	}

	/**
	 * Which locks to read, and how much of each.
	 *
	 * @param name name of the locks, or {@code null} for all names
	 * @param key key of the one lock of that name, or {@code null} for all keys
	 * @param busy whether to leave out the locks that have neither a holder nor a waiter
	 * @param offset number of locks to skip
	 * @param limit number of locks to read, at most {@value #MAX_LIMIT}
	 * @param queueLimit number of contenders to read of each lock, at most
	 * {@value #MAX_QUEUE_LIMIT}
	 */
	record Query(@Nullable String name, @Nullable String key, boolean busy, int offset, int limit, int queueLimit) {

		/** The most locks of one answer. */
		public static final int MAX_LIMIT = 1000;

		/** The most contenders of one lock in one answer. */
		public static final int MAX_QUEUE_LIMIT = 1000;

		public Query {
			Assert.isTrue(name == null || !name.isBlank(), "'name' must not be blank");
			Assert.isTrue(key == null || name != null, "'key' needs a 'name'");
			Assert.isTrue(key == null || !key.isBlank(), "'key' must not be blank");
			Assert.isTrue(name == null || name.length() <= LockId.MAX_LENGTH, "'name' is longer than that of any lock");
			Assert.isTrue(key == null || key.length() <= LockId.MAX_LENGTH, "'key' is longer than that of any lock");
			Assert.isTrue(offset >= 0, () -> "'offset' must not be negative: " + offset);
			Assert.isTrue(limit >= 1 && limit <= MAX_LIMIT,
					() -> "'limit' must be from 1 to %d: %d".formatted(MAX_LIMIT, limit));
			Assert.isTrue(queueLimit >= 1 && queueLimit <= MAX_QUEUE_LIMIT,
					() -> "'queueLimit' must be from 1 to %d: %d".formatted(MAX_QUEUE_LIMIT, queueLimit));
		}

		/** Create a query for busy locks and free ones. */
		public Query(@Nullable String name, @Nullable String key, int offset, int limit, int queueLimit) {
			this(name, key, false, offset, limit, queueLimit);
		}

	}

	/**
	 * Some of the locks of all clients.
	 *
	 * @param keptIn path below which the locks are, or the tables or keys that they use
	 * @param readAt when they were read, by the clock of this machine
	 * @param total number of locks that match the query
	 * @param offset number of locks before the first one shown
	 * @param limit largest number of locks shown
	 * @param queueLimit largest number of contenders shown of each
	 * @param locks the locks: busy ones first, each kind in the order of its paths; in
	 * the order of paths alone if there are too many to look at each
	 */
	record Page(String keptIn, Instant readAt, int total, int offset, int limit, int queueLimit,
			List<QueuedLock> locks) {

		public Page {
			locks = List.copyOf(locks);
		}

	}

	/**
	 * A lock with its holders and waiters.
	 *
	 * @param name name of the lock as the application wrote it, or the readable part of
	 * it unless {@code exact}
	 * @param key key of the lock as the application wrote it, if there is one
	 * @param exact whether name and key are complete: the path of a very long one has
	 * only its start, and another client can have made a path that no lock has
	 * @param path path of the lock
	 * @param readable {@code false} without the permission to read the contenders, or
	 * with too many of them for one answer
	 * @param mode mode in which the lock is held, or {@code null} if it is free
	 * @param contenders number of holders and waiters, as far as it is known
	 * @param holders the holders, oldest first; several only if the lock is shared
	 * @param queue the waiters, in the order in which they get the lock
	 * @param omitted number of contenders that are not shown
	 * @param others nodes that are no contenders
	 * @param blockedBy node at the head of a queue that keeps the lock for a minimum
	 * time, or that has no session or is of another client, and is older than a session
	 * timeout; {@code null} if there is none
	 */
	record QueuedLock(String name, @Nullable String key, boolean exact, String path, boolean readable,
			@Nullable LockMode mode, int contenders, List<LockContender> holders, List<LockContender> queue,
			int omitted, List<String> others, @Nullable String blockedBy) {

		public QueuedLock {
			holders = List.copyOf(holders);
			queue = List.copyOf(queue);
			others = List.copyOf(others);
		}

	}

}
