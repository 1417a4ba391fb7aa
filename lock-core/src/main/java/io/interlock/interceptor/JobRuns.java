package io.interlock.interceptor;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.internal.LockThreads;
import io.interlock.provider.RunRecords;
import io.interlock.provider.RunRecords.Run;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

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

	private final Function<@Nullable String, @Nullable RunRecords> records;

	private final Supplier<String> instance;

	/** Locks of jobs, without keys. */
	private final Set<LockId> jobs = ConcurrentHashMap.newKeySet();

	private final Map<LockId, Run> known = new ConcurrentHashMap<>();

	private final List<BiConsumer<LockId, Run>> listeners = new CopyOnWriteArrayList<>();

	private final AtomicLong askedAt = new AtomicLong(System.nanoTime() - FRESH_NANOS);

	private final Executor thread = LockThreads.WORKER.pools("runs").bounded(1, QUEUED);

	/**
	 * Create an object without runs.
	 * @param records where all instances keep those of a named provider, or of the
	 * default one for {@code null}; {@code null} if they cannot
	 * @param instance name of this instance
	 */
	public JobRuns(Function<@Nullable String, @Nullable RunRecords> records, Supplier<String> instance) {
		this.records = records;
		this.instance = SingletonSupplier.of(instance);
	}

	void add(LockId lock) {
		this.jobs.add(jobOf(lock));
	}

	private static LockId jobOf(LockId lock) {
		return new LockId(lock.name(), null).withProvider(lock.provider());
	}

	/** Return the locks of the jobs that are known so far, without keys. */
	public Set<LockId> jobs() {
		return Set.copyOf(this.jobs);
	}

	/** Hear of each run of this instance, on the thread of the job, when it has ended. */
	public void listen(BiConsumer<LockId, Run> listener) {
		this.listeners.add(listener);
	}

	/** Begin a run, and return what to tell of its end: its failure, if any. */
	Consumer<@Nullable Throwable> begin(LockId lock, @Nullable String key) {
		Instant startedAt = Instant.now();
		long start = System.nanoTime();
		return (failure) -> {
			Duration duration = Duration.ofNanos(System.nanoTime() - start);
			try {
				ended(jobOf(lock),
						new Run(lock.name(), key, this.instance.get(), startedAt, duration,
								(failure != null) ? cause(failure).getClass().getName() : Run.SUCCESS,
								(failure != null) ? null : startedAt.plus(duration)));
			}
			catch (RuntimeException | OutOfMemoryError ex) {
				logger.debug("A run of '%s' is not recorded".formatted(lock.name()), ex);
			}
		};
	}

	private static Throwable cause(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	private void ended(LockId job, Run run) {
		this.known.merge(job, run, (before, last) -> last.after(before));
		execute(() -> write(job, run));
		this.listeners.forEach((listener) -> listener.accept(job, run));
	}

	private void write(LockId job, Run run) {
		RunRecords records = this.records.apply(job.provider());
		if (records != null) {
			List<Run> before = run.succeeded() ? List.of() : records.runs(Set.of(run.name()));
			records.record(before.isEmpty() ? run : run.after(before.get(0)));
		}
	}

	/** Asks each store, so that one which does not answer hides no run of another. */
	private void read() {
		RuntimeException failure = null;
		for (Optional<String> provider : this.jobs.stream()
			.map((job) -> Optional.ofNullable(job.provider()))
			.collect(Collectors.toSet())) {
			try {
				read(provider.orElse(null));
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	private void read(@Nullable String provider) {
		RunRecords records = this.records.apply(provider);
		if (records != null) {
			Set<String> names = this.jobs.stream()
				.filter((job) -> Objects.equals(job.provider(), provider))
				.map(LockId::name)
				.collect(Collectors.toSet());
			records.runs(names)
				.forEach((run) -> this.known.put(new LockId(run.name(), null).withProvider(provider), run));
		}
	}

	private CompletableFuture<Void> execute(Runnable task) {
		try {
			return CompletableFuture.runAsync(task, this.thread).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("The last runs of jobs cannot be stored now", failure);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return the last run of each job, by name. A job whose lock comes from a named
	 * provider is called {@code name@provider} here, as in logs. Blocks for five seconds
	 * at the most; then they are those that this instance knew before.
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
		return this.known.entrySet()
			.stream()
			.map((known) -> shown(known.getKey(), known.getValue()))
			.sorted(Comparator.comparing(Run::name))
			.toList();
	}

	private static Run shown(LockId job, Run run) {
		return (job.provider() == null) ? run : new Run(job.toString(), run.key(), run.instance(), run.startedAt(),
				run.duration(), run.outcome(), run.lastSuccess());
	}

	/**
	 * Return when the last run of a job that succeeded ended, or {@code null} if that is
	 * not known. Does not block: the store is asked in the background, at most every ten
	 * seconds.
	 */
	public @Nullable Instant lastSuccess(LockId job) {
		long now = System.nanoTime();
		long asked = this.askedAt.get();
		if (now - asked >= FRESH_NANOS && this.askedAt.compareAndSet(asked, now)) {
			execute(this::read);
		}
		Run run = this.known.get(job);
		return (run != null) ? run.lastSuccess() : null;
	}

}
