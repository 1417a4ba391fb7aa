package io.interlock.admin;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.internal.LockThreads;
import io.interlock.internal.PrintableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warns, once for each name, of another application that takes the same lock. It looks
 * when a lock was not acquired or was waited for, at most once a second.
 *
 * @since 0.1.0
 */
public final class SharedNames implements LockListener {

	private static final Log logger = LogFactory.getLog(SharedNames.class);

	private static final int MAX_NAMES = 1000;

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final Function<@Nullable String, @Nullable LockInspector> inspectors;

	private final String application;

	private final Executor threads;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - PAUSE.toNanos());

	/**
	 * Create an instance with a thread for each look.
	 * @param inspectors reads the locks of a provider, the default one for {@code null};
	 * nothing if it returns {@code null}
	 * @param application name of this application
	 */
	public SharedNames(Function<@Nullable String, @Nullable LockInspector> inspectors, String application) {
		this(inspectors, application, LockThreads.WORKER.pools("names").perTask());
	}

	/** Create an instance whose looks, which block, run on threads of an executor. */
	public SharedNames(Function<@Nullable String, @Nullable LockInspector> inspectors, String application,
			Executor threads) {
		this.inspectors = inspectors;
		this.application = application;
		this.threads = threads;
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		look(request.id());
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		if (waited.compareTo(PAUSE) >= 0) {
			look(request.id());
		}
	}

	private void look(LockId id) {
		long last = this.lookedAt.get();
		long now = System.nanoTime();
		if (now - last >= PAUSE.toNanos() && this.warned.size() < MAX_NAMES && !this.warned.contains(nameOf(id))
				&& this.lookedAt.compareAndSet(last, now)) {
			this.threads.execute(() -> warn(id));
		}
	}

	/** Locks of two providers with one name are two locks. */
	private static String nameOf(LockId id) {
		return new LockId(id.name(), null).withProvider(id.provider()).toString();
	}

	private void warn(LockId id) {
		try {
			Stream.ofNullable(this.inspectors.apply(id.provider()))
				.flatMap((inspector) -> inspector.lock(id.withProvider(null)).stream())
				.flatMap((lock) -> Stream.concat(lock.holders().stream(), lock.queue().stream()))
				.flatMap((contender) -> Stream.ofNullable(contender.owner()))
				.flatMap((owner) -> Stream.ofNullable(owner.application()))
				.filter((other) -> !other.equals(PrintableText.of(this.application)))
				.findFirst()
				.filter((other) -> this.warned.add(nameOf(id)))
				.ifPresent((other) -> logger.warn(PrintableText
					.of(("The application '%s' takes the lock '%s' too, so it excludes this application, '%s'. If that is "
							+ "not meant, give each application its own interlock.namespace")
						.formatted(other, nameOf(id), this.application))));
		}
		catch (RuntimeException ex) {
			logger.debug("Whether another application takes lock %s is not known".formatted(id), ex);
		}
	}

}
