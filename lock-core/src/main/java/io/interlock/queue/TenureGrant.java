package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.internal.LockThreads;
import io.interlock.provider.AbstractLockGrant;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a tenure that one local holder has: its own end and its own news, and the
 * token and the state of the grant. Invariant: it leaves its tenure once. Its listener
 * hears once of a loss before that, or its release returns the loss.
 */
final class TenureGrant extends AbstractLockGrant {

	private static final CompletableFuture<LockState> RELEASED = CompletableFuture.completedFuture(LockState.RELEASED);

	private static final CompletableFuture<LockState> LOST = CompletableFuture.completedFuture(LockState.LOST);

	private static final int NEWS_THREADS = 64;

	private static final Executor NEWS = LockThreads.WORKER.pools("loss").bounded(NEWS_THREADS);

	private final LockQueue queue;

	private final Tenure tenure;

	private final LockRequest request;

	private final boolean contended;

	private final int handoff;

	/** Written under the lock of the queue; {@code null} while the share is held. */
	private volatile @Nullable LockState end;

	TenureGrant(LockQueue queue, Tenure tenure, LockRequest request, boolean contended) {
		this.queue = queue;
		this.tenure = tenure;
		this.request = request;
		this.contended = contended;
		this.handoff = tenure.nextHandoff();
	}

	Tenure tenure() {
		return this.tenure;
	}

	/**
	 * End this share once, as lost if its grant is, even if the listener was not told.
	 */
	boolean end() {
		if (this.end != null) {
			return false;
		}
		this.end = this.tenure.grant().state() == LockState.LOST ? LockState.LOST : LockState.RELEASED;
		return true;
	}

	/**
	 * Up to 64 threads tell a loss, so that a slow listener does not delay the others.
	 */
	static void tellAll(List<TenureGrant> holders, LockState state) {
		for (int next = 1; next < holders.size(); next++) {
			TenureGrant holder = holders.get(next);
			if (state != LockState.LOST || !isStarted(() -> holder.tell(state))) {
				holder.tell(state);
			}
		}
		if (!holders.isEmpty()) {
			holders.get(0).tell(state);
		}
	}

	/**
	 * Listen, on a thread that must not block: a change that has happened already is told
	 * on another thread.
	 */
	static void listen(LockGrant grant, Consumer<LockState> listener) {
		AtomicReference<@Nullable Thread> answering = new AtomicReference<>(Thread.currentThread());
		grant.onStateChange((state) -> {
			if (Thread.currentThread() != answering.get() || !isStarted(() -> listener.accept(grant.state()))) {
				listener.accept(state);
			}
		});
		answering.set(null);
	}

	private static boolean isStarted(Runnable task) {
		try {
			NEWS.execute(task);
			return true;
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started.
			return false;
		}
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	private LockId id() {
		return this.request.id();
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public long fencingToken() {
		return this.tenure.grant().fencingToken();
	}

	@Override
	public int handoff() {
		return this.handoff;
	}

	@Override
	public LockState state() {
		LockState end = this.end;
		return (end != null) ? end : this.tenure.grant().state();
	}

	@Override
	public boolean isCovered() {
		return this.end == null && this.tenure.grant().isCovered();
	}

	@Override
	public void verify() {
		verified().verify();
	}

	@Override
	public void verifyWith(List<? extends LockGrant> others) {
		verified().verifyWith(others.stream()
			.map((other) -> (other instanceof TenureGrant share) ? share.verified() : other)
			.toList());
	}

	private LockGrant verified() {
		if (this.end == LockState.LOST) {
			throw new LockLostException("Lock %s is lost".formatted(id()), id(), Duration.ZERO, null);
		}
		throwIfReleased();
		return this.tenure.grant();
	}

	private void throwIfReleased() {
		if (this.end != null) {
			throw new IllegalStateException("Lock %s was released already".formatted(id()));
		}
	}

	/** Only the sole holder, in the mode of the grant, may keep the lock. */
	@Override
	public CompletableFuture<Boolean> keep(Duration rest) {
		return (this.request.mode() == this.tenure.mode() && this.queue.reserve(this)) ? this.tenure.grant().keep(rest)
				: super.keep(rest);
	}

	@Override
	public CompletableFuture<LockState> release() {
		CompletableFuture<LockState> release = this.queue.leave(this) ? this.tenure.grant().release() : RELEASED;
		return (this.end == LockState.LOST) ? LOST : release;
	}

	/** Throws {@link IllegalStateException} once this share has ended. */
	@Override
	public <T> Optional<T> unwrap(Class<T> type) {
		throwIfReleased();
		return this.tenure.grant().unwrap(type);
	}

	@Override
	public String toString() {
		return this.request.mode() + " " + id() + " through " + this.tenure.grant();
	}

}
