package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LeaseStore} did not answer, or refused. What the request has changed is not
 * known, unless it is {@linkplain #isUndone() undone}.
 *
 * @since 0.1.0
 */
public class LeaseStoreException extends RuntimeException {

	private static final Pattern LINE_BREAK = Pattern.compile("\\s*\\R\\s*");

	private final boolean passing;

	private final boolean undone;

	private final String problem;

	private final @Nullable String remedy;

	private LeaseStoreException(String problem, @Nullable String remedy, boolean passing, boolean undone,
			@Nullable Throwable cause) {
		super((remedy != null) ? line(problem) + ". " + remedy : line(problem), cause);
		this.problem = line(problem);
		this.remedy = remedy;
		this.passing = passing;
		this.undone = undone;
	}

	/** Stores answer with texts of other clients, and with several lines. */
	private static String line(String text) {
		return PrintableText.of(LINE_BREAK.matcher(text).replaceAll(" "));
	}

	/**
	 * Create an exception for a failure that may pass, so that it is worth asking again:
	 * an outage, a deadlock, a replica that does not take writes yet.
	 * @param message what happened, to be continued by what it was for; starts in lower
	 * case
	 * @param cause the reason
	 * @return the exception
	 */
	public static LeaseStoreException passing(String message, @Nullable Throwable cause) {
		return new LeaseStoreException(message, null, true, false, cause);
	}

	/**
	 * Like {@link #passing(String, Throwable)}, with what to do about it. The message has
	 * both texts.
	 * @param problem what happened; starts in lower case
	 * @param remedy what to do; a sentence without its full stop
	 * @param cause the reason
	 * @return the exception
	 */
	public static LeaseStoreException passing(String problem, String remedy, @Nullable Throwable cause) {
		return new LeaseStoreException(problem, remedy, true, false, cause);
	}

	/**
	 * Create an exception for a request that a store which answers could not carry out at
	 * that moment, so that it has changed nothing. Another one may follow at once.
	 * @param message as for {@link #passing(String, Throwable)}
	 * @param cause the reason
	 * @return the exception
	 */
	public static LeaseStoreException undone(String message, @Nullable Throwable cause) {
		return new LeaseStoreException(message, null, true, true, cause);
	}

	/** Like {@link #lasting(String, String, Throwable)}, with one text for both. */
	public static LeaseStoreException lasting(String message, @Nullable Throwable cause) {
		return new LeaseStoreException(message, null, false, false, cause);
	}

	/**
	 * Create an exception for a failure that stays until it is mended: a missing table, a
	 * missing permission. The message has both texts.
	 * @param problem what happened; starts in lower case
	 * @param remedy what to do; a sentence without its full stop
	 * @param cause the reason
	 * @return the exception
	 */
	public static LeaseStoreException lasting(String problem, String remedy, @Nullable Throwable cause) {
		return new LeaseStoreException(problem, remedy, false, false, cause);
	}

	/** Return whether the failure may pass, so that it is worth asking again. */
	public boolean isPassing() {
		return this.passing;
	}

	/**
	 * Return whether the store answers, and the request has certainly changed nothing.
	 */
	public boolean isUndone() {
		return this.undone;
	}

	static boolean isUndone(@Nullable Throwable ex) {
		return ex instanceof LeaseStoreException failure && failure.isUndone();
	}

	/** Return the failure itself, which a stage that depends on another one wraps. */
	static Throwable unwrapped(Throwable ex) {
		return (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
	}

	static boolean mayPass(Throwable ex) {
		return ex instanceof LeaseStoreException failure && failure.isPassing();
	}

	/** Return what an attempt fails with that has failed to ask the store. */
	static Throwable failure(Throwable cause, LockId lock) {
		if (cause instanceof Error) {
			return cause;
		}
		return (cause instanceof RejectedExecutionException) ? closed(lock)
				: unavailable(lock, String.valueOf(cause.getMessage()), cause);
	}

	static LockServiceUnavailableException closed(LockId lock) {
		return unavailable(lock, "this instance is shutting down", null);
	}

	private static LockServiceUnavailableException unavailable(LockId lock, String reason, @Nullable Throwable cause) {
		return new LockServiceUnavailableException("Lock %s cannot be acquired: %s".formatted(lock, reason), lock,
				Duration.ZERO, cause);
	}

	/** Return what happened. */
	public String getProblem() {
		return this.problem;
	}

	/** Return what to do; {@code null} if not known, or in the message only. */
	public @Nullable String getRemedy() {
		return this.remedy;
	}

}
