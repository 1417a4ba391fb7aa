package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.interlock.LockOperator;
import io.interlock.internal.KeptHold;
import io.interlock.provider.LockGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The rest of the minimum time of an ended hold. Invariants: the lock is released once,
 * by whatever comes first: the timer, a loss, an operator, or the shutdown, which may
 * leave it to the servers instead, until it is taken back; and that waits for no
 * listener. The listeners hear of it after they have heard that the lock is kept.
 */
final class MinHold implements KeptHold {

	private static final Log logger = LogFactory.getLog(MinHold.class);

	static final Runnable NO_NEWS = () -> {
	};

	private final Duration held;

	private final LockTime time;

	private final long endNanos;

	private final Instant until;

	private final CompletableFuture<Boolean> outlasting;

	private final Runnable release;

	private final Runnable tellReleased;

	private final CompletableFuture<Boolean> keptTold = new CompletableFuture<>();

	private final AtomicReference<State> state = new AtomicReference<>(State.KEPT);

	private volatile @Nullable Future<?> timer;

	/** The {@code release} does not block; {@code tellReleased} may. */
	MinHold(Duration held, Duration minHold, LockGrant grant, LockTime time, Runnable release, Runnable tellReleased) {
		this.held = held;
		Duration rest = minHold.minus(held);
		this.time = time;
		this.endNanos = time.nanoTime() + TimeUnit.NANOSECONDS.convert(rest);
		this.outlasting = keep(grant, rest);
		this.until = Instant.now().plus(rest);
		this.release = release;
		this.tellReleased = tellReleased;
	}

	/** Ask the provider; what it does not keep, this instance keeps while it lives. */
	private static CompletableFuture<Boolean> keep(LockGrant grant, Duration rest) {
		try {
			return grant.keep(rest).exceptionally((failure) -> {
				warn(grant, failure);
				return false;
			});
		}
		catch (RuntimeException ex) {
			warn(grant, ex);
			return CompletableFuture.completedFuture(false);
		}
	}

	private static void warn(LockGrant grant, Throwable failure) {
		logger.warn("Lock %s is kept for its minimum hold time only while this instance runs"
			.formatted(grant.request().id()), failure);
	}

	void start() {
		Future<?> timer = this.time.schedule(() -> this.time.execute(end()), this.endNanos - this.time.nanoTime());
		this.timer = timer;
		if (timer == null) {
			this.time.execute(end());
		}
		else if (this.state.get() != State.KEPT) {
			timer.cancel(false);
		}
	}

	void told() {
		this.keptTold.complete(true);
	}

	Runnable end() {
		if (this.state.getAndSet(State.ENDED) == State.ENDED) {
			return NO_NEWS;
		}
		LockTime.cancel(this.timer);
		this.release.run();
		return () -> this.keptTold.thenRun(this.tellReleased);
	}

	/**
	 * Act when it is known whether the servers keep the lock without this instance. The
	 * action returns what may block; so does this method if that is known already.
	 */
	Runnable whenKnown(Function<Boolean, Runnable> action) {
		if (this.outlasting.isDone()) {
			return action.apply(this.outlasting.join());
		}
		this.outlasting.thenAccept((outlasts) -> this.time.execute(action.apply(outlasts)));
		return NO_NEWS;
	}

	void leave() {
		if (this.state.compareAndSet(State.KEPT, State.LEFT)) {
			LockTime.cancel(this.timer);
		}
	}

	/** Release the lock when its time is over, although it was left to the servers. */
	void takeBack() {
		if (this.state.compareAndSet(State.LEFT, State.KEPT)) {
			start();
		}
	}

	static boolean isLeft(@Nullable MinHold kept) {
		return kept != null && kept.state.get() == State.LEFT;
	}

	@Override
	public CompletionStage<Boolean> outlasts() {
		return this.outlasting;
	}

	@Override
	public void release() {
		end().run();
	}

	/**
	 * Return whether it is known that the servers keep the lock without this instance.
	 */
	boolean isKeptByServers() {
		return this.outlasting.getNow(false);
	}

	boolean mayOutlast() {
		return this.outlasting.getNow(true);
	}

	Duration held() {
		return this.held;
	}

	/** Return the operator, or this instance, and until when, in one line. */
	String heldBy(@Nullable LockOperator operator) {
		return (operator != null) ? "%s until %s".formatted(operator.text(), this.until)
				: "this instance until %s, for its minimum hold time".formatted(this.until);
	}

	static @Nullable Instant until(@Nullable MinHold kept) {
		return (kept != null) ? kept.until : null;
	}

	private enum State {

		KEPT, LEFT, ENDED

	}

}
