package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.RedisNoScriptException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts on one connection, and waits until replicas have what they wrote, in these
 * steps:
 * <ol>
 * <li>Send the scripts that are asked for, and {@code WAIT} behind them.
 * <li>Collect the scripts that are asked for meanwhile: the server answers nothing on a
 * connection that waits, and one {@code WAIT} is enough for all of them.
 * <li>Complete each script that was granted nothing with its answer, and each other one
 * when {@code WAIT} has counted enough replicas.
 * <li>Send the scripts that were collected.
 * </ol>
 * Invariants: one {@code WAIT} is under way at most; a script is confirmed by a
 * {@code WAIT} that was sent behind it on the same connection, and by none if that
 * connection broke in between, because a new one has nothing to wait for and counts every
 * replica. Safe for use by many threads.
 */
final class ConfirmedBatches {

	private static final Log logger = LogFactory.getLog(ConfirmedBatches.class);

	private final Commands commands;

	private final int replicas;

	private final Duration timeout;

	private final AtomicInteger breaks = new AtomicInteger();

	private final AtomicBoolean refused = new AtomicBoolean();

	private List<Call> collected = new ArrayList<>();

	private boolean underWay;

	ConfirmedBatches(Commands commands, int replicas, Duration timeout) {
		this.commands = commands;
		this.replicas = replicas;
		this.timeout = timeout;
	}

	/**
	 * Run a script that answers with more than zero if it has granted something. Then the
	 * stage ends when replicas have it, or fails with a {@link LeaseStoreException} if
	 * too few have. It fails as the command does otherwise.
	 */
	CompletionStage<Long> run(RedisScript<Long> script, List<String> keys, List<String> arguments) {
		Call call = new Call(script, keys, arguments);
		send(call);
		return call.outcome;
	}

	/** Note that the connection has begun or ended. */
	void broke() {
		this.breaks.incrementAndGet();
	}

	private void send(Call call) {
		synchronized (this) {
			this.collected.add(call);
			if (this.underWay) {
				return;
			}
			this.underWay = true;
		}
		sendCollected();
	}

	private void sendCollected() {
		List<Call> batch;
		synchronized (this) {
			batch = this.collected;
			this.collected = new ArrayList<>();
			this.underWay = !batch.isEmpty();
		}
		if (batch.isEmpty()) {
			return;
		}
		int breaksBefore = this.breaks.get();
		batch.forEach(Call::send);
		stage(() -> this.commands.await(this.replicas, this.timeout)).whenComplete((confirmed, failure) -> {
			Throwable reason = (failure != null) ? failure : doubt(breaksBefore, confirmed);
			batch.forEach((call) -> call.end(reason));
			sendCollected();
		});
	}

	private @Nullable LeaseStoreException doubt(int breaksBefore, long confirmed) {
		if (this.breaks.get() != breaksBefore) {
			return LeaseStoreException.passing("the connection broke before replicas had confirmed the lock", null);
		}
		if (confirmed >= this.replicas) {
			if (this.refused.compareAndSet(true, false)) {
				logger.warn("Replicas confirm locks in Redis again");
			}
			return null;
		}
		LeaseStoreException refusal = LeaseStoreException.passing(
				"%d of %d replicas confirmed the lock within %d ms (interlock.redis.wait-replicas, interlock.redis.wait-replicas-timeout)"
					.formatted(confirmed, this.replicas, this.timeout.toMillis()),
				("Check INFO replication on the master: connect %d replicas that keep up, lower "
						+ "interlock.redis.wait-replicas, or raise interlock.redis.wait-replicas-timeout")
					.formatted(this.replicas),
				null);
		if (this.refused.compareAndSet(false, true)) {
			logger.warn("Too few replicas confirm locks in Redis: %s. Locks are refused until they do"
				.formatted(refusal.getProblem()));
		}
		return refusal;
	}

	private static <T> CompletionStage<T> stage(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/** What is sent to one server. Nothing here blocks. */
	interface Commands {

		CompletionStage<Long> evaluate(RedisScript<Long> script, boolean known, List<String> keys,
				List<String> arguments);

		CompletionStage<Long> await(int replicas, Duration timeout);

	}

	private final class Call {

		private final RedisScript<Long> script;

		private final List<String> keys;

		private final List<String> arguments;

		private final CompletableFuture<Long> outcome = new CompletableFuture<>();

		private boolean known = true;

		private @Nullable CompletionStage<Long> answer;

		Call(RedisScript<Long> script, List<String> keys, List<String> arguments) {
			this.script = script;
			this.keys = keys;
			this.arguments = arguments;
		}

		void send() {
			this.answer = stage(
					() -> ConfirmedBatches.this.commands.evaluate(this.script, this.known, this.keys, this.arguments));
			this.answer.whenComplete((answer, failure) -> {
				if (failure != null) {
					failed((failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
							: failure);
				}
				else if (answer <= 0) {
					this.outcome.complete(answer);
				}
			});
		}

		/**
		 * The {@code WAIT} behind a script that the server does not know waits for
		 * nothing.
		 */
		private void failed(Throwable failure) {
			if (this.known && failure instanceof RedisNoScriptException) {
				this.known = false;
				ConfirmedBatches.this.send(this);
				return;
			}
			this.outcome.completeExceptionally(failure);
		}

		void end(@Nullable Throwable reason) {
			CompletionStage<Long> answer = this.answer;
			if (answer == null) {
				return;
			}
			answer.thenAccept((granted) -> {
				if (reason != null) {
					this.outcome.completeExceptionally(reason);
				}
				else {
					this.outcome.complete(granted);
				}
			});
		}

	}

}
