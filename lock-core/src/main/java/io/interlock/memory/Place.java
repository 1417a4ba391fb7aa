package io.interlock.memory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.AbstractLockAttempt;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A place in the line of a lock: an attempt, and the grant once its turn has come.
 * Changed under the monitor of the provider, except for what its listener was told.
 * Invariant: it is decided once, and the outcome is completed without that monitor, by
 * the thread that has decided or by one that abandons, whichever comes first.
 */
final class Place extends AbstractLockAttempt implements LockGrant {

	private final LockRequest request;

	private final InMemoryLockProvider provider;

	private volatile long token;

	private volatile boolean contended;

	private volatile LockState state = LockState.VALID;

	private @Nullable Runnable onContention;

	private @Nullable Consumer<LockState> listener;

	private LockState told = LockState.VALID;

	Place(LockRequest request, InMemoryLockProvider provider) {
		this.request = request;
		this.provider = provider;
	}

	/**
	 * Decide, unless that was done before. The effect completes the outcome in both
	 * cases.
	 */
	private boolean decide(Runnable completion, List<Runnable> effects) {
		effects.add(this::complete);
		return decide(completion);
	}

	void grant(long token, List<Runnable> effects) {
		this.token = token;
		decide(() -> outcome().complete(Optional.of(this)), effects);
	}

	void fail(List<Place> line, List<Runnable> effects) {
		if (decide(() -> outcome().completeExceptionally(unavailable("cannot be acquired")), effects)) {
			line.remove(this);
		}
	}

	void queue(List<Place> line, List<Runnable> effects) {
		if (isDecided()) {
			return;
		}
		if (Duration.ZERO.equals(this.request.waitTime())) {
			decide(() -> outcome().complete(Optional.empty()), effects);
			line.remove(this);
		}
		else {
			this.contended = true;
			line.forEach((place) -> place.tellContention(effects));
		}
	}

	private void tellContention(List<Runnable> effects) {
		if (this.onContention != null) {
			effects.add(this.onContention);
			this.onContention = null;
		}
	}

	void changeState(LockState state, List<Place> line) {
		this.state = state;
		if (state == LockState.LOST || state == LockState.RELEASED) {
			line.remove(this);
		}
	}

	void tellState() {
		Consumer<LockState> listener;
		LockState state;
		synchronized (this) {
			state = this.state;
			listener = this.listener;
			if (listener == null || state == this.told || state == LockState.RELEASED) {
				return;
			}
			this.told = state;
		}
		listener.accept(state);
	}

	private LockServiceUnavailableException unavailable(String what) {
		return new LockServiceUnavailableException(
				"Lock %s %s: locks in memory are switched to unavailable".formatted(id(), what), id(), Duration.ZERO,
				null);
	}

	@Override
	public Phase phase() {
		return Phase.QUEUED;
	}

	@Override
	public void abandon() {
		this.provider.change(id(), (line, effects) -> {
			if (decide(() -> outcome().cancel(false), effects)) {
				line.remove(this);
			}
		});
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	private LockId id() {
		return this.request.id();
	}

	@Override
	public <T> Optional<T> unwrap(Class<T> type) {
		return Optional.ofNullable(type.isInstance(this.provider) ? type.cast(this.provider) : null)
			.or(() -> LockGrant.super.unwrap(type));
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public LockState state() {
		return this.state;
	}

	@Override
	public void verify() {
		LockState state = this.state;
		if (state == LockState.LOST) {
			throw new LockLostException("Lock %s is lost".formatted(id()), id(), Duration.ZERO, null);
		}
		if (state == LockState.UNCONFIRMED) {
			throw unavailable("cannot be verified");
		}
		Assert.state(state == LockState.VALID, () -> "Lock %s was released already".formatted(id()));
	}

	@Override
	public void onStateChange(Consumer<LockState> listener) {
		synchronized (this) {
			this.listener = listener;
		}
		tellState();
	}

	@Override
	public void onContention(Runnable action) {
		this.provider.change(id(), (line, effects) -> {
			this.onContention = action;
			if (line.contains(this) && !line.get(line.size() - 1).isDecided()) {
				tellContention(effects);
			}
		});
	}

	@Override
	public CompletableFuture<LockState> release() {
		this.provider.change(id(), (line, effects) -> {
			if (this.state != LockState.LOST) {
				changeState(LockState.RELEASED, line);
			}
		});
		return CompletableFuture.completedFuture(this.state);
	}

}
