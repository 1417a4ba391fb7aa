package io.interlock.admin;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.PrintableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

	private final LockInspector inspector;

	private final String application;

	private final Executor threads;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - PAUSE.toNanos());

	/** Create an instance for an application, with a thread for each look. */
	public SharedNames(LockInspector inspector, String application) {
		this(inspector, application, (task) -> {
			Thread thread = new Thread(task, "interlock-worker-names");
			thread.setDaemon(true);
			thread.start();
		});
	}

	/** Create an instance whose looks, which block, run on threads of an executor. */
	public SharedNames(LockInspector inspector, String application, Executor threads) {
		this.inspector = inspector;
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
		if (id.provider() == null && now - last >= PAUSE.toNanos() && this.warned.size() < MAX_NAMES
				&& !this.warned.contains(id.name()) && this.lookedAt.compareAndSet(last, now)) {
			this.threads.execute(() -> warn(id));
		}
	}

	private void warn(LockId id) {
		try {
			this.inspector.lock(id)
				.stream()
				.flatMap((lock) -> Stream.concat(lock.holders().stream(), lock.queue().stream()))
				.flatMap((contender) -> Stream.ofNullable(contender.owner()))
				.flatMap((owner) -> Stream.ofNullable(owner.application()))
				.filter((other) -> !other.equals(PrintableText.of(this.application)))
				.findFirst()
				.filter((other) -> this.warned.add(id.name()))
				.ifPresent((other) -> logger.warn(PrintableText
					.of(("The application '%s' takes the lock '%s' too, so it excludes this application, '%s'. If that is "
							+ "not meant, give each application its own interlock.namespace")
						.formatted(other, id.name(), this.application))));
		}
		catch (LockInspectionException | UnsupportedOperationException ex) {
			logger.debug("Whether another application takes lock %s is not known".formatted(id), ex);
		}
	}

}
