package io.interlock.redis;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.TooManyLocksException;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Reads locks for operators, in these steps:
 * <ol>
 * <li>Find the keys of locks, unless one lock is asked for.
 * <li>Read all of them at once, and put busy ones first. If there are too many, read
 * those of the page only.
 * </ol>
 */
final class LockLines {

	private static final int MAX_RANKED = 5000;

	private static final int MAX_FIELDS = 20_000;

	private static final String LESS = "Ask for one lock, by its name and its key";

	private final RedisCalls calls;

	private final LockKeys keys;

	LockLines(RedisCalls calls, LockKeys keys) {
		this.calls = calls;
		this.keys = keys;
	}

	Optional<LeaseLine> line(LockId lock) {
		return read(List.of(this.keys.keyOf(lock))).stream().flatMap(Optional::stream).findFirst();
	}

	Lines lines(Query query) {
		List<String> found = find(query);
		if (found.size() > MAX_RANKED) {
			if (query.busy()) {
				throw new TooManyLocksException(
						"There are %d locks, too many to look at each. %s".formatted(found.size(), LESS));
			}
			return new Lines(found.size(),
					read(page(found.stream(), query).toList()).stream().flatMap(Optional::stream).toList());
		}
		List<LeaseLine> lines = read(found).stream()
			.flatMap(Optional::stream)
			.filter((line) -> !query.busy() || isBusy(line))
			.sorted(Comparator.comparing((line) -> !isBusy(line)))
			.toList();
		return new Lines(lines.size(), page(lines.stream(), query).toList());
	}

	private static boolean isBusy(LeaseLine line) {
		return !line.readable() || !line.places().isEmpty();
	}

	private static <T> Stream<T> page(Stream<T> all, Query query) {
		return all.skip(query.offset()).limit(query.limit());
	}

	private List<String> find(Query query) {
		String name = query.name();
		if (name != null && query.key() != null) {
			return List.of(this.keys.keyOf(new LockId(name, query.key())));
		}
		return this.calls.find(this.keys.patternOf(name), LESS)
			.stream()
			.filter((key) -> isOf(this.keys.lockOf(key), name))
			.distinct()
			.sorted()
			.toList();
	}

	private static boolean isOf(@Nullable LockId lock, @Nullable String name) {
		return lock != null && (name == null || lock.name().equals(name));
	}

	private List<Optional<LeaseLine>> read(List<String> keys) {
		List<CompletableFuture<Optional<LeaseLine>>> answers = keys.stream()
			.map((key) -> this.calls
				.run(LeaseScripts.VIEW, List.of(key), List.of(Integer.toString(MAX_FIELDS)), Runnable::run)
				.thenApply((fields) -> LockLineReader.read(key, lockOf(key), fields))
				.toCompletableFuture())
			.toList();
		return answers.stream().map(LockLines::answer).toList();
	}

	private LockId lockOf(String key) {
		LockId lock = this.keys.lockOf(key);
		return (lock != null) ? lock : new LockId(key, null);
	}

	static <T> T answer(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof LeaseStoreException failure) ? failure
					: LeaseStoreException.passing(String.valueOf(ex.getCause()), ex);
		}
	}

}
