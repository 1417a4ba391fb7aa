package io.interlock.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what became of each request for a lock since it was last cleared. Safe for
 * use by many threads.
 */
final class LockHistory implements LockListener {

	private final List<Entry> acquired = new ArrayList<>();

	private final List<Refusal> refused = new ArrayList<>();

	/** Also those that were acquired before the history was cleared. */
	private final Map<LockHandle, Entry> held = new IdentityHashMap<>();

	@Override
	public synchronized void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		Entry entry = new Entry(handle);
		this.acquired.add(entry);
		this.held.put(handle, entry);
	}

	@Override
	public synchronized void onNotAcquired(LockRequest request, Duration waited) {
		this.refused.add(new Refusal(request.id(), request.mode(), Instant.now(), "others held it"));
	}

	@Override
	public synchronized void onFailure(LockRequest request, LockException failure) {
		this.refused.add(new Refusal(request.id(), request.mode(), Instant.now(), failure.toString()));
	}

	@Override
	public synchronized void onReleased(LockHandle handle, Duration held) {
		Entry entry = this.held.remove(handle);
		if (entry != null && entry.end == null) {
			entry.end = handle.isLost() ? LockState.LOST : LockState.RELEASED;
		}
	}

	@Override
	public synchronized void onLost(LockHandle handle) {
		Stream.concat(this.acquired.stream(), this.held.values().stream())
			.filter((entry) -> entry.handle == handle)
			.forEach((entry) -> entry.end = LockState.LOST);
	}

	synchronized void clear() {
		this.acquired.clear();
		this.refused.clear();
	}

	synchronized List<LockAcquisition> acquisitions() {
		return this.acquired.stream().map(Entry::acquisition).toList();
	}

	synchronized List<LockAcquisition> held() {
		return this.held.values()
			.stream()
			.map(Entry::acquisition)
			.filter((acquisition) -> acquisition.state() != LockState.LOST)
			.toList();
	}

	synchronized boolean isRefused(Predicate<LockId> which) {
		return this.refused.stream().map(Refusal::id).anyMatch(which);
	}

	/**
	 * Return what a test whose assertion fails wants to see.
	 */
	synchronized String describe() {
		List<Entry> before = this.held.values().stream().filter((entry) -> !this.acquired.contains(entry)).toList();
		if (this.acquired.isEmpty() && this.refused.isEmpty() && before.isEmpty()) {
			return "No lock was asked for. An annotated method takes its lock only if it is called through its Spring bean.";
		}
		StringBuilder lines = new StringBuilder("The history of this test:");
		before.forEach((entry) -> lines.append("\n  before the test: ").append(entry.acquisition()));
		acquisitions().forEach((acquisition) -> lines.append("\n  ").append(acquisition));
		this.refused.forEach((refusal) -> lines.append("\n  ").append(refusal));
		return lines.toString();
	}

	private static final class Entry {

		private final LockHandle handle;

		private final Instant acquiredAt = Instant.now();

		private @Nullable LockState end;

		Entry(LockHandle handle) {
			this.handle = handle;
		}

		LockAcquisition acquisition() {
			return new LockAcquisition(this.handle.id(), this.handle.mode(), this.handle.fencingToken(),
					this.acquiredAt, (this.end != null) ? this.end : this.handle.state());
		}

	}

	private record Refusal(LockId id, LockMode mode, Instant refusedAt, String reason) {

		@Override
		public String toString() {
			return "%s %s, refused at %s: %s".formatted(this.id, this.mode, this.refusedAt, this.reason);
		}

	}

}
