package io.interlock.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockOperator;
import io.interlock.LockOperator.OperatorThread;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.RevocationRequest;
import io.interlock.internal.KeptHold;
import io.interlock.internal.PrintableText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Asks holders to give up locks, releases locks by force, and takes free locks in the
 * name of an operator. Each operation, successful or not, is logged with the name of the
 * operator, also as one line of {@code name="value"} pairs to {@value #AUDIT_LOGGER}, and
 * reported to listeners. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LockAdministrator {

	/** Name of the logger of the audit trail: one line for each operation. */
	public static final String AUDIT_LOGGER = "io.interlock.audit";

	private static final int MAX_HOLD_DAYS = 7;

	/** What each store keeps beside the names of the operator and of the instance. */
	private static final int MAX_REASON = 120;

	private static final Log logger = LogFactory.getLog(LockAdministrator.class);

	private static final Log audit = LogFactory.getLog(AUDIT_LOGGER);

	private final LockRevoker revoker;

	private final List<Listener> listeners;

	private final Duration keepTimeout;

	/** Create an administrator, whose operations the listeners observe. */
	public LockAdministrator(LockRevoker revoker, List<Listener> listeners) {
		this(revoker, listeners, Duration.ofSeconds(5));
	}

	/**
	 * Create an administrator.
	 * @param listeners observe its operations
	 * @param keepTimeout how long to wait for a store to keep a lock that an operator
	 * takes
	 */
	public LockAdministrator(LockRevoker revoker, List<Listener> listeners, Duration keepTimeout) {
		Assert.notNull(revoker, "'revoker' must not be null");
		Assert.notNull(listeners, "'listeners' must not be null");
		this.revoker = revoker;
		Assert.isTrue(!keepTimeout.isNegative() && !keepTimeout.isZero(),
				() -> "'keepTimeout' must be positive: " + keepTimeout);
		this.listeners = List.copyOf(listeners);
		this.keepTimeout = keepTimeout;
	}

	/**
	 * Release a lock by force: delete the node with a token. Every thread that holds the
	 * lock through that node loses it.
	 * @param id the lock
	 * @param token the token that the operator saw
	 * @param requestedBy name of the operator
	 * @return the contender that was released
	 * @throws StaleTokenException if no contender for the lock has the token
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	public LockRevoker.Target release(LockId id, long token, String requestedBy) {
		try {
			LockRevoker.Target released = this.revoker.release(id, token);
			logger.warn(PrintableText.of("Lock %s was released by force at the request of %s: token %d, node %s of %s"
				.formatted(id, requestedBy, token, released.path(), ownerOf(released))));
			audit("release", "done", id, token, requestedBy, "node", released.path());
			tell((listener) -> listener.onReleased(released, requestedBy));
			return released;
		}
		catch (StaleTokenException | LockInspectionException ex) {
			logger.warn(PrintableText.of("Lock %s was not released by force at the request of %s: %s".formatted(id,
					requestedBy, ex.getMessage())));
			audit("release", outcome(ex), id, token, requestedBy, "reason", ex.getMessage());
			tell((listener) -> listener.onNotReleased(id, token, requestedBy, ex));
			throw ex;
		}
	}

	private static String ownerOf(LockRevoker.Target target) {
		ContenderOwner owner = target.owner();
		return (owner != null) ? owner.summary() : "an instance that is no longer known";
	}

	/**
	 * Ask the holder of a lock to give it up, by
	 * {@link LockHandle#onRevocationRequested}. The holder decides, and its instance
	 * needs {@code interlock.admin.enabled} too: look at the lock again. A lock that has
	 * no holder, because it is kept for a minimum time or an operator, is freed at once.
	 * @param id the lock
	 * @param token the token that the operator saw
	 * @param handoff the hand-off number that the operator saw, to spare later holders of
	 * the same node; {@code null} for any holder with that token
	 * @param requestedBy name of the operator
	 * @return the holder, and whether the lock is freed
	 * @throws StaleTokenException if no contender for the lock has the token, or only a
	 * waiter has it
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	public LockRevoker.Target requestRevocation(LockId id, long token, @Nullable Integer handoff, String requestedBy) {
		RevocationRequest request = new RevocationRequest(requestedBy, Instant.now());
		try {
			LockRevoker.Target asked = this.revoker.requestRevocation(id, token, handoff, request);
			String done = asked.freed() ? "Lock %s was freed at once at the request of %s: token %d, node %s of %s"
					: "The holder of lock %s was asked to give it up at the request of %s: token %d, node %s of %s";
			logger.info(PrintableText.of(done.formatted(id, requestedBy, token, asked.path(), ownerOf(asked))));
			audit("request", asked.freed() ? "freed" : "done", id, token, requestedBy, "node", asked.path());
			tell((listener) -> listener.onRequested(asked, request));
			return asked;
		}
		catch (StaleTokenException | LockInspectionException ex) {
			logger
				.warn(PrintableText.of("The holder of lock %s could not be asked to give it up at the request of %s: %s"
					.formatted(id, requestedBy, ex.getMessage())));
			audit("request", outcome(ex), id, token, requestedBy, "reason", ex.getMessage());
			tell((listener) -> listener.onNotRequested(id, token, request, ex));
			throw ex;
		}
	}

	/** Take a free lock without a reason. */
	public LockHandle hold(LockId id, Duration time, String requestedBy, Function<LockRequest, LockHandle> locks,
			@Nullable LockInspector inspector) {
		return hold(id, time, requestedBy, null, locks, inspector);
	}

	/**
	 * Take a free lock at once, for seven days at most, as a hold that has ended before
	 * its {@link LockRequest#minHold() minimum time}: no thread holds it. The operator is
	 * its holder by name, and the inspector, if any, names another one. Returns when the
	 * store keeps the lock without this instance, or has said that it does not.
	 * @param reason shown with the name of the operator, {@value #MAX_REASON} characters
	 * at most when it is printable; {@code null} for none
	 * @throws LockNotAcquiredException if the lock is held
	 * @throws LockException if it could not be taken, or the store has not answered in
	 * time; the lock is released then
	 */
	public LockHandle hold(LockId id, Duration time, String requestedBy, @Nullable String reason,
			Function<LockRequest, LockHandle> locks, @Nullable LockInspector inspector) {
		String given = PrintableText.of((reason != null) ? reason.strip() : "");
		Assert.isTrue(given.length() <= MAX_REASON,
				() -> "'reason' must have at most %d printable characters: %d".formatted(MAX_REASON, given.length()));
		Assert.isTrue(!time.isNegative() && !time.isZero() && time.compareTo(Duration.ofDays(MAX_HOLD_DAYS)) <= 0,
				() -> "'hold' must be longer than 0 and at most %d days: %s".formatted(MAX_HOLD_DAYS, time));
		LockRequest free = LockRequest.exclusive(id.name()).withWaitTime(Duration.ZERO).withMinHold(time);
		LockRequest named = (id.provider() != null) ? free.withProvider(id.provider()) : free;
		try {
			LockHandle held = take((id.key() != null) ? named.withKey(id.key()) : named,
					new LockOperator(requestedBy, given.isEmpty() ? null : given), locks);
			logger.warn(PrintableText.of("Lock %s is held for operator %s for %s: token %d%s".formatted(id, requestedBy,
					time, held.fencingToken(), given.isEmpty() ? "" : ", reason: " + given)));
			audit("hold", "done", id, held.fencingToken(), requestedBy, "time", time.toString(),
					given.isEmpty() ? "" : " reason=" + quoted(given));
			return held;
		}
		catch (LockException ex) {
			LockException known = (ex instanceof LockNotAcquiredException refusal) ? withHolder(refusal, inspector)
					: ex;
			logger.warn(PrintableText
				.of("Lock %s could not be held for operator %s: %s".formatted(id, requestedBy, known.getMessage())));
			audit("hold", (known != ex) ? "held" : "failed", id, 0, requestedBy, "reason", known.getMessage());
			throw known;
		}
	}

	private static LockNotAcquiredException withHolder(LockNotAcquiredException refusal,
			@Nullable LockInspector inspector) {
		LockId id = refusal.lockId();
		String holder = refusal.holder().orElseGet(() -> (inspector != null) ? inspector.holders(id) : "");
		return new LockNotAcquiredException(
				"Lock %s is held by %s: nothing was done".formatted(id, holder.isEmpty() ? "another instance" : holder),
				id, refusal.waited(), holder);
	}

	/**
	 * Acquire on a thread of its own, so that no hold and no transaction of the calling
	 * thread is joined, and end the hold.
	 */
	private LockHandle take(LockRequest request, LockOperator operator, Function<LockRequest, LockHandle> locks) {
		FutureTask<LockHandle> task = new FutureTask<>(() -> {
			LockHandle held = locks.apply(request);
			held.close();
			held.unwrap(KeptHold.class).ifPresent((kept) -> awaitStore(kept, request.id()));
			return held;
		});
		new OperatorThread(operator, task).start();
		try {
			return task.get();
		}
		catch (InterruptedException | ExecutionException ex) {
			if (ex.getCause() instanceof LockException failure) {
				throw failure;
			}
			if (ex.getCause() instanceof IllegalArgumentException invalid) {
				throw invalid;
			}
			if (ex instanceof InterruptedException) {
				Thread.currentThread().interrupt();
				task.cancel(true);
			}
			throw new LockException("It is not known whether lock %s is held now: %s".formatted(request.id(), ex),
					request.id(), Duration.ZERO, ex);
		}
	}

	private void awaitStore(KeptHold kept, LockId id) {
		try {
			kept.outlasts()
				.toCompletableFuture()
				.get(TimeUnit.NANOSECONDS.convert(this.keepTimeout), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException | InterruptedException | ExecutionException ex) {
			kept.release();
			throw new LockServiceUnavailableException(
					"Lock %s is released again: the store did not confirm within %s that it keeps the lock"
						.formatted(id, this.keepTimeout),
					id, Duration.ZERO, ex);
		}
	}

	private static String outcome(RuntimeException failure) {
		return (failure instanceof StaleTokenException) ? "stale" : "failed";
	}

	private static void audit(String action, String outcome, LockId id, long token, String requestedBy, String detail,
			@Nullable String text) {
		audit(action, outcome, id, token, requestedBy, detail, text, "");
	}

	private static void audit(String action, String outcome, LockId id, long token, String requestedBy, String detail,
			@Nullable String text, String more) {
		audit.info("action=%s outcome=%s lock=%s token=%d by=%s %s=%s%s".formatted(action, outcome,
				quoted(id.toString()), token, quoted(requestedBy), detail, quoted(String.valueOf(text)), more));
	}

	/** Keep a text within its quotes, so that it adds no field to the line. */
	private static String quoted(String text) {
		return '"' + PrintableText.of(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	private void tell(Consumer<Listener> news) {
		for (Listener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (RuntimeException ex) {
				logger.warn("Listener %s failed".formatted(listener), ex);
			}
		}
	}

	/**
	 * Observes the operations of operators. Exceptions of a listener are logged and
	 * change nothing. The token is the contender's, {@code requestedBy} names the
	 * operator, and the reason is a {@link StaleTokenException} or a
	 * {@link LockInspectionException}.
	 */
	public interface Listener {

		/** A contender was released by force. */
		default void onReleased(LockRevoker.Target target, String requestedBy) {
		}

		/** A contender was not released by force. */
		default void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
		}

		/** An operator asked a holder to give up a lock. */
		default void onRequested(LockRevoker.Target target, RevocationRequest request) {
		}

		/** The request to a holder to give up a lock failed. */
		default void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
		}

	}

}
