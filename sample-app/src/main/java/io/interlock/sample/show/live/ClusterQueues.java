package io.interlock.sample.show.live;

import java.util.List;
import java.util.stream.Stream;

import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;

/**
 * Reads the queues of all locks from their store, as the Actuator does.
 */
@Component
class ClusterQueues {

	private static final LockInspector.Query QUERY = new LockInspector.Query(null, null, 0, 50, 20);

	private final ObjectProvider<LockInspector> inspector;

	ClusterQueues(ObjectProvider<LockInspector> inspector) {
		this.inspector = inspector;
	}

	/** Return whether the store can be asked: locks in memory cannot. */
	boolean canBeRead() {
		return this.inspector.getIfAvailable() != null;
	}

	/**
	 * Read the queues.
	 * @param fleet the instances that may stand in them
	 * @return the queues that have contenders, or nothing while the store does not answer
	 */
	List<ClusterLock> read(Fleet fleet) {
		LockInspector inspector = this.inspector.getIfAvailable();
		if (inspector == null) {
			return List.of();
		}
		try {
			return inspector.locks(QUERY)
				.locks()
				.stream()
				.filter((lock) -> lock.contenders() > 0)
				.map((lock) -> describe(lock, fleet))
				.toList();
		}
		catch (LockInspectionException ex) {
			return List.of();
		}
	}

	private static ClusterLock describe(QueuedLock lock, Fleet fleet) {
		return new ClusterLock(lock.name(), lock.key(),
				Stream
					.concat(lock.holders().stream().map((node) -> describe(node, true, fleet)),
							lock.queue().stream().map((node) -> describe(node, false, fleet)))
					// without a token it went while it was read
					.filter((contender) -> contender.token() != null)
					.toList());
	}

	private static ClusterLock.Contender describe(LockContender contender, boolean holds, Fleet fleet) {
		return new ClusterLock.Contender(fleet.nameOf(contender), client(contender), contender.mode(), holds,
				contender.token(), contender.since());
	}

	private static String client(LockContender contender) {
		ContenderOwner owner = contender.owner();
		return Stream.ofNullable(owner)
			.flatMap((known) -> Stream.concat(Stream.ofNullable(known.instance()), Stream.ofNullable(known.text())))
			.filter(StringUtils::hasText)
			.findFirst()
			.orElse("another client");
	}

}
