package io.interlock.curator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import org.apache.zookeeper.KeeperException.NoAuthException;

/**
 * Reads the queue of one lock after the other.
 */
final class QueueReader {

	/**
	 * A longer answer than the client takes would close its connection. Names of
	 * contenders are shorter than this.
	 */
	static final int NAME_BYTES = 80;

	private static final int MAX_OTHERS = 10;

	private final BoundedReads reads;

	private final int limit;

	/**
	 * Create a reader.
	 * @param reads how to read
	 * @param limit how many contenders of each lock to read
	 */
	QueueReader(BoundedReads reads, int limit) {
		this.reads = reads;
		this.limit = limit;
	}

	/**
	 * Read a lock.
	 * @param path path of its node
	 * @return what was read; empty if there is no such lock any more
	 */
	CompletableFuture<Optional<QueueReading>> read(String path) {
		String node = path.substring(path.lastIndexOf('/') + 1);
		return unlessForbidden(this.reads.stat(path).thenCompose((stat) -> {
			if (stat.isEmpty()) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			int children = stat.get().getNumChildren();
			if (children == 0) {
				return CompletableFuture.completedFuture(Optional.of(QueueReading.free(node)));
			}
			if (children > this.reads.maxChildren(NAME_BYTES)) {
				return CompletableFuture.completedFuture(Optional.of(QueueReading.unreadable(node, children)));
			}
			return this.reads.children(path)
				.thenCompose((names) -> names.isPresent() ? contents(path, node, names.get())
						: CompletableFuture.completedFuture(Optional.empty()));
		}), Optional.of(QueueReading.unreadable(node, 0)));
	}

	private CompletableFuture<Optional<QueueReading>> contents(String path, String node, List<String> names) {
		List<Contender> contenders = Contender.parseAll(names);
		List<String> others = names.stream()
			.filter((name) -> Contender.parse(name) == null)
			.sorted()
			.limit(MAX_OTHERS)
			.toList();
		return order(path, contenders).thenCompose((ordered) -> {
			List<Contender> shown = ordered.subList(0, Math.min(this.limit, ordered.size()));
			return all(shown,
					(contender) -> unlessForbidden(this.reads.content(path + "/" + contender.name()), Optional.empty()))
				.thenApply((contents) -> Optional
					.of(new QueueReading(node, true, ordered.size(), ordered, others, contents)));
		});
	}

	/**
	 * Order contenders as {@link ContenderOrder} does, without waiting.
	 */
	private CompletableFuture<List<Contender>> order(String path, List<Contender> contenders) {
		if (contenders.stream().allMatch(Contender::isOrderedBySequence)) {
			return CompletableFuture.completedFuture(contenders.stream().sorted(ContenderOrder.BY_SEQUENCE).toList());
		}
		return all(contenders, (contender) -> this.reads.stat(path + "/" + contender.name())).thenApply((stats) -> {
			Map<Contender, Long> created = new HashMap<>();
			for (int i = 0; i < stats.size(); i++) {
				Contender contender = contenders.get(i);
				stats.get(i).ifPresent((stat) -> created.put(contender, stat.getCzxid()));
			}
			return created.keySet().stream().sorted(Comparator.comparing(created::get)).toList();
		});
	}

	/**
	 * Do something for each, and collect the results in order.
	 */
	static <T, R> CompletableFuture<List<R>> all(List<T> items, Function<T, CompletableFuture<R>> action) {
		List<CompletableFuture<R>> results = items.stream().map(action).toList();
		return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)).thenApply((done) -> {
			List<R> values = new ArrayList<>(results.size());
			results.forEach((result) -> values.add(result.join()));
			return values;
		});
	}

	private static <T> CompletableFuture<T> unlessForbidden(CompletableFuture<T> reading, T otherwise) {
		return reading.exceptionally((ex) -> {
			Throwable cause = (ex instanceof CompletionException) ? ex.getCause() : ex;
			if (cause instanceof NoAuthException) {
				return otherwise;
			}
			throw new CompletionException(cause);
		});
	}

}
