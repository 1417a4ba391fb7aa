package io.interlock.interceptor;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.provider.RunRecords;
import io.interlock.provider.RunRecords.Run;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * The last run of each job: of each name whose methods are skipped while others hold the
 * lock. Invariants: a method never waits for the store, nor fails because of it; one
 * thread asks the store, and at most {@value #QUEUED} requests wait for it. What the
 * store does not take is known to this instance only. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class JobRuns {

	private static final Log logger = LogFactory.getLog(JobRuns.class);

	private static final int QUEUED = 100;

	private static final long ANSWER_SECONDS = 5;

	private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final Supplier<@Nullable RunRecords> records;

	private final Supplier<String> instance;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final Map<String, Run> known = new ConcurrentHashMap<>();

	private final List<Consumer<Run>> listeners = new CopyOnWriteArrayList<>();

	private final AtomicLong askedAt = new AtomicLong(System.nanoTime() - FRESH_NANOS);

	private final ThreadPoolExecutor thread;

	/**
	 * Create an object without runs.
	 * @param records where all instances keep them, or {@code null} if they cannot
	 * @param instance name of this instance
	 */
	public JobRuns(Supplier<@Nullable RunRecords> records, Supplier<String> instance) {
		this.records = records;
		this.instance = SingletonSupplier.of(instance);
		CustomizableThreadFactory threads = new CustomizableThreadFactory("interlock-worker-runs-");
		threads.setDaemon(true);
		this.thread = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUED), threads);
		this.thread.allowCoreThreadTimeOut(true);
	}

	void add(String name) {
		this.names.add(name);
	}

	/** Return the names of the jobs that are known so far. */
	public Set<String> names() {
		return Set.copyOf(this.names);
	}

	/** Hear of each run of this instance, on the thread of the job, when it has ended. */
	public void listen(Consumer<Run> listener) {
		this.listeners.add(listener);
	}

	/** Begin a run, and return what to tell of its end: its failure, if any. */
	Consumer<@Nullable Throwable> begin(String name, @Nullable String key) {
		Instant startedAt = Instant.now();
		long start = System.nanoTime();
		return (failure) -> {
			Duration duration = Duration.ofNanos(System.nanoTime() - start);
			try {
				ended(new Run(name, key, this.instance.get(), startedAt, duration,
						(failure != null) ? cause(failure).getClass().getName() : Run.SUCCESS,
						(failure != null) ? null : startedAt.plus(duration)));
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				logger.debug("A run of '%s' is not recorded".formatted(name), ex);
			}
		};
	}

	private static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	private void ended(Run run) {
		this.known.merge(run.name(), run, (before, last) -> last.after(before));
		execute(() -> write(run));
		this.listeners.forEach((listener) -> listener.accept(run));
	}

	private void write(Run run) {
		RunRecords records = this.records.get();
		if (records != null) {
			List<Run> before = run.succeeded() ? List.of() : records.runs(Set.of(run.name()));
			records.record(before.isEmpty() ? run : run.after(before.get(0)));
		}
	}

	private void read() {
		RunRecords records = this.records.get();
		if (records != null && !this.names.isEmpty()) {
			records.runs(names()).forEach((run) -> this.known.put(run.name(), run));
		}
	}

	private CompletableFuture<Void> execute(Runnable task) {
		try {
			return CompletableFuture.runAsync(task, this.thread).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("The store does not keep the last runs of jobs now", failure);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the last run of each job, by name. Blocks for five seconds at the most; then
	 * they are those that this instance knew before.
	 */
	public List<Run> runs() {
		try {
			execute(this::read).get(ANSWER_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// The runs that are known already are returned.
		}
		return this.known.values().stream().sorted(Comparator.comparing(Run::name)).toList();
	}

	/**
	 * Return when the last run of a job that succeeded ended, or {@code null} if that is
	 * not known. Does not block: the store is asked in the background, at most every ten
	 * seconds.
	 */
	public @Nullable Instant lastSuccess(String name) {
		long now = System.nanoTime();
		long asked = this.askedAt.get();
		if (now - asked >= FRESH_NANOS && this.askedAt.compareAndSet(asked, now)) {
			execute(this::read);
		}
		Run run = this.known.get(name);
		return (run != null) ? run.lastSuccess() : null;
	}

}
