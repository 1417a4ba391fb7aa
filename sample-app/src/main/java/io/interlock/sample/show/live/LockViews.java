package io.interlock.sample.show.live;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.queue.QueueSnapshot;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Puts together what this instance knows about its locks, without asking their store.
 * What is read one after the other may disagree by a moment; the next look corrects it.
 */
@Component
class LockViews {

	private static final int MOST_WAITERS = 64;

	private final HeldLocks locks;

	private final QueueingLockProvider queues;

	private final Recorder recorder;

	LockViews(HeldLocks locks, @Qualifier("interlockQueueingLockProvider") QueueingLockProvider queues,
			Recorder recorder) {
		this.locks = locks;
		this.queues = queues;
		this.recorder = recorder;
	}

	List<LockView> views() {
		Map<LockId, List<LockSnapshot>> held = byId(this.locks.held());
		Map<LockId, List<LockSnapshot>> waiting = byId(this.locks.waiting());
		Map<LockId, LockActivity> activities = this.recorder.activities();
		Map<LockId, QueueSnapshot> tenures = this.queues.queues()
			.stream()
			.collect(Collectors.toMap(QueueSnapshot::id, Function.identity(), (one, other) -> one));
		return Stream.of(activities.keySet(), held.keySet(), waiting.keySet())
			.flatMap(Set::stream)
			.distinct()
			.sorted(Comparator.comparing(LockId::toString))
			.map((id) -> view(id, held.getOrDefault(id, List.of()), waiting.getOrDefault(id, List.of()),
					tenures.get(id), activities.getOrDefault(id, LockActivity.NONE)))
			.toList();
	}

	private static Map<LockId, List<LockSnapshot>> byId(List<LockSnapshot> snapshots) {
		return snapshots.stream().collect(Collectors.groupingBy(LockSnapshot::id));
	}

	private static LockView view(LockId id, List<LockSnapshot> held, List<LockSnapshot> waiting,
			@Nullable QueueSnapshot tenure, LockActivity activity) {
		return new LockView(id.name(), id.key(),
				held.stream()
					.map((lock) -> new LockView.Holder(lock.thread(), lock.mode(), lock.since(), lock.token(),
							lock.valid(), lock.keptUntil()))
					.toList(),
				waiting.size(),
				waiting.stream()
					.limit(MOST_WAITERS)
					.map((lock) -> new LockView.Waiter(lock.thread(), lock.mode(), lock.since()))
					.toList(),
				(tenure != null) ? tenure.tenure().toMillis() : 0, (tenure != null) ? tenure.handoffs() : 0, activity);
	}

}
