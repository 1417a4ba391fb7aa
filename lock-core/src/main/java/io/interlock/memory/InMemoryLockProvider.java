package io.interlock.memory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.provider.RunRecords;

import org.springframework.util.Assert;

/**
 * Locks within this JVM, without a server. They exclude each other in order of arrival,
 * as those in ZooKeeper do, but only callers of the same provider: each application
 * context has its own. Safe for use by many threads.
 * <p>
 * Tests provoke here what a network would do. Another instance is a caller that skips the
 * queue of the application: {@link #attempt} takes a lock on its behalf, and
 * {@link LockGrant#release()} gives it back. Listeners hear of a change on the thread
 * that made it.
 *
 * @since 0.1.0
 */
public final class InMemoryLockProvider implements LockProvider, RunRecords {

	/** A database may see the tokens of all providers of this JVM. */
	private static final Tokens TOKENS = new Tokens(System::currentTimeMillis);

	private final boolean excluding;

	/**
	 * Each line has its holders first. The monitor of this map guards all state; nothing
	 * blocks under it.
	 */
	private final Map<LockId, List<Place>> lines = new HashMap<>();

	private final Map<String, Run> runs = new ConcurrentHashMap<>();

	private boolean available = true;

	/** Create a provider whose locks are free. */
	public InMemoryLockProvider() {
		this(true);
	}

	private InMemoryLockProvider(boolean excluding) {
		this.excluding = excluding;
	}

	/** Return a provider that grants every lock at once, whatever others hold. */
	public static InMemoryLockProvider excludingNothing() {
		return new InMemoryLockProvider(false);
	}

	/** Return everything, apart from locks that outlive this process. */
	@Override
	public LockCapabilities capabilities() {
		return new LockCapabilities(true, true, true, true, false);
	}

	/** Return whether its locks exclude each other. Never changes. */
	public boolean isExcluding() {
		return this.excluding;
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		Place place = new Place(request, this);
		change(request.id(), (line, effects) -> {
			line.add(caller.retries() ? (int) line.stream().filter(Place::isDecided).count() : line.size(), place);
			if (!this.available) {
				place.fail(line, effects);
			}
			admit(line, effects);
			place.queue(line, effects);
		});
		return place;
	}

	@Override
	public void record(Run run) {
		this.runs.put(run.name(), run);
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return this.runs.values().stream().filter((run) -> names.contains(run.name())).toList();
	}

	/** Return a snapshot of all grants that are neither released nor lost. */
	public List<LockGrant> grants() {
		synchronized (this.lines) {
			return this.lines.values()
				.stream()
				.flatMap(List::stream)
				.filter(Place::isDecided)
				.map(LockGrant.class::cast)
				.toList();
		}
	}

	/**
	 * Change what the holders of a lock know about it, as a network does.
	 * @param id which lock
	 * @param state {@link LockState#UNCONFIRMED} for a suspended connection,
	 * {@link LockState#VALID} for one that is back, or {@link LockState#LOST} for the end
	 * of the session, which lets the first waiters in
	 */
	public void changeState(LockId id, LockState state) {
		Assert.isTrue(state != LockState.RELEASED, "Only its holder can release a lock");
		List<Place> holders = new ArrayList<>();
		change(id, (line, effects) -> {
			line.stream().filter(Place::isDecided).forEach(holders::add);
			holders.forEach((holder) -> holder.changeState(state, line));
		});
		holders.forEach(Place::tellState);
	}

	/**
	 * Begin or end an outage. It suspends all holders and fails waiters and attempts with
	 * {@link io.interlock.LockServiceUnavailableException}, at once and not at their
	 * deadline.
	 */
	public void setAvailable(boolean available) {
		List<LockId> ids;
		synchronized (this.lines) {
			this.available = available;
			ids = List.copyOf(this.lines.keySet());
		}
		for (LockId id : ids) {
			if (!available) {
				change(id, (line, effects) -> List.copyOf(line).forEach((place) -> place.fail(line, effects)));
			}
			changeState(id, available ? LockState.VALID : LockState.UNCONFIRMED);
		}
	}

	/**
	 * Change a line, grant what can be granted then, and run the effects outside of the
	 * monitor.
	 */
	void change(LockId id, BiConsumer<List<Place>, List<Runnable>> change) {
		List<Runnable> effects = new ArrayList<>(2);
		synchronized (this.lines) {
			List<Place> line = this.lines.computeIfAbsent(id, (absent) -> new ArrayList<>(2));
			change.accept(line, effects);
			admit(line, effects);
			if (line.isEmpty()) {
				this.lines.remove(id);
			}
		}
		effects.forEach(Runnable::run);
	}

	private void admit(List<Place> line, List<Runnable> effects) {
		for (int before = 0; before < line.size(); before++) {
			Place place = line.get(before);
			if (this.excluding && before > 0 && !joins(place, before, line)) {
				return;
			}
			if (!place.isDecided()) {
				place.grant(TOKENS.next(), effects);
			}
		}
	}

	private static boolean joins(Place place, int before, List<Place> line) {
		LockMode mode = place.request().mode();
		return !mode.excludes(line.get(0).request().mode()) && (mode != LockMode.PERMIT || before < permits(line));
	}

	private static int permits(List<Place> line) {
		return line.stream()
			.map(Place::request)
			.filter((request) -> request.mode() == LockMode.PERMIT)
			.mapToInt(LockRequest::permits)
			.min()
			.orElse(1);
	}

}
