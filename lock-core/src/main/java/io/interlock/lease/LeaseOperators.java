package io.interlock.lease;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.StaleTokenException;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseLine.Place;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for operators, who wait a second at the most, whatever the state of the
 * store. A question that nobody waits for any more is not sent.
 */
final class LeaseOperators {

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final int ATTEMPTS = 3;

	private static final String ASK_FOR_LESS = "Ask for fewer locks: with '?busy=true', by a name, or by a name and a key";

	private static final String TRY_AGAIN = "Try again";

	private static final String OUTAGE = "The store is unavailable: requests for locks fail too";

	private static final String NOT_KNOWN = "It is not known whether this took effect: look at the lock again";

	private final LeaseParts parts;

	private final Consumer<LockId> freed;

	private final LeaseRequests requests;

	/** Create the operators' side of a provider, which is told what may be free. */
	LeaseOperators(LeaseParts parts, Consumer<LockId> freed, LeaseRequests requests) {
		this.parts = parts;
		this.freed = freed;
		this.requests = requests;
	}

	Lines lines(Query query) {
		return ask(() -> read(() -> this.parts.connection().lines(query)), () -> unlessAway(ASK_FOR_LESS));
	}

	Optional<LeaseLine> line(LockId id) {
		return ask(() -> read(() -> this.parts.connection().line(id)), () -> unlessAway(TRY_AGAIN));
	}

	/** Find out whether a refusal is about the question, or about the store. */
	private <T> T read(Supplier<T> question) {
		try {
			return question.get();
		}
		catch (LeaseStoreException ex) {
			if (ex.isPassing() && !ex.isUndone()) {
				check(ex);
			}
			throw ex;
		}
	}

	private void check(LeaseStoreException refusal) {
		try {
			this.parts.connection().check();
		}
		catch (LeaseStoreException ex) {
			throw new LockInspectionException(
					"The locks could not be reached: %s. %s".formatted(ex.getMessage(), OUTAGE), refusal);
		}
	}

	private String unlessAway(String remedy) {
		return (this.parts.connection().failure() != null) ? OUTAGE : remedy;
	}

	/** Return the contender of any instance with a token, or {@code null}. */
	@Nullable Place find(LockId id, long token) {
		return placeOf(line(id), token);
	}

	/**
	 * Make the store forget the contender of any instance that has a token.
	 * @throws StaleTokenException if there is none
	 */
	Place forget(LockId id, long token) {
		Place forgotten = ask(() -> forgetNow(id, token), () -> NOT_KNOWN);
		this.freed.accept(id);
		this.parts.kept().look();
		return forgotten;
	}

	/** Ask a holder of any instance, which learns of it within a third of its lease. */
	void ask(HolderRequest request) {
		ask(() -> {
			this.requests.add(request);
			return true;
		}, () -> NOT_KNOWN);
	}

	/** One that keeps the lock may take the place of the holder in between. */
	private Place forgetNow(LockId id, long token) {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			Place place = placeOf(this.parts.connection().line(id), token);
			if (place == null) {
				break;
			}
			LeaseContender contender = new LeaseContender(place.contender(), "an operator", id, place.mode(),
					place.permits(), false);
			if (this.parts.connection().forget(contender) || place.waits()) {
				return place;
			}
		}
		throw new StaleTokenException(id, token);
	}

	private static @Nullable Place placeOf(Optional<LeaseLine> line, long token) {
		return line.stream()
			.flatMap((each) -> each.places().stream())
			.filter((place) -> place.number() == token)
			.findFirst()
			.orElse(null);
	}

	private <T extends @Nullable Object> T ask(Supplier<T> question, Supplier<String> remedy) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		try {
			this.parts.threads().request(() -> answer(answer, question));
			return this.parts.time().await(answer, PATIENCE.toNanos());
		}
		catch (TimeoutException ex) {
			throw unanswered("The store has not answered within a second. " + remedy.get(), ex);
		}
		catch (ExecutionException ex) {
			throw failure(ex.getCause(), remedy.get());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInspectionException("Interrupted while waiting for the store. " + remedy.get(), ex);
		}
		catch (RejectedExecutionException ex) {
			throw new LockInspectionException("This instance is shutting down: nothing was done", ex);
		}
		finally {
			answer.cancel(false);
		}
	}

	private static <T extends @Nullable Object> void answer(CompletableFuture<T> answer, Supplier<T> question) {
		if (answer.isDone()) {
			return;
		}
		try {
			answer.complete(question.get());
		}
		catch (Throwable ex) {
			answer.completeExceptionally(ex);
		}
	}

	/** No answer is an outage only if the connection fails too. */
	private LockInspectionException unanswered(String message, Throwable cause) {
		return (this.parts.connection().failure() != null) ? new LockInspectionException(message, cause)
				: new LockInspectionBusyException(message, cause);
	}

	private RuntimeException failure(@Nullable Throwable cause, String remedy) {
		if (cause instanceof LeaseStoreException refusal && refusal.isPassing()) {
			return unanswered("The locks could not be reached: %s. %s".formatted(refusal.getMessage(),
					refusal.isUndone() ? "Nothing was done: try again" : remedy), cause);
		}
		if (cause instanceof LeaseStoreException || !(cause instanceof RuntimeException known)) {
			return new LockInspectionException(
					"The locks could not be reached: " + ((cause != null) ? cause.getMessage() : null), cause);
		}
		return known;
	}

}
