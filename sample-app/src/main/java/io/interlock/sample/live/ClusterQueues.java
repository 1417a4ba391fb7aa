package io.interlock.sample.live;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockQuery;
import io.interlock.admin.QueuedLock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;

/**
 * Reads the queues of all locks from ZooKeeper, as the Actuator does.
 */
@Component
class ClusterQueues {

	private static final LockQuery QUERY = new LockQuery(null, null, 0, 50, 20);

	private final ObjectProvider<LockInspector> inspector;

	ClusterQueues(ObjectProvider<LockInspector> inspector) {
		this.inspector = inspector;
	}

	/**
	 * Read the queues.
	 * @param instances names of the instances by their sessions
	 * @return the queues that have contenders, or nothing while ZooKeeper does not answer
	 */
	List<ClusterLock> read(Map<String, String> instances) {
		LockInspector inspector = this.inspector.getIfAvailable();
		if (inspector == null) {
			return List.of();
		}
		try {
			return inspector.locks(QUERY)
				.locks()
				.stream()
				.filter((lock) -> lock.contenders() > 0)
				.map((lock) -> describe(lock, instances))
				.toList();
		}
		catch (LockInspectionException ex) {
			return List.of();
		}
	}

	private static ClusterLock describe(QueuedLock lock, Map<String, String> instances) {
		return new ClusterLock(lock.name(), lock.key(),
				Stream
					.concat(lock.holders().stream().map((node) -> describe(node, true, instances)),
							lock.queue().stream().map((node) -> describe(node, false, instances)))
					// without a token it went while it was read
					.filter((contender) -> contender.token() != null)
					.toList());
	}

	private static ClusterLock.Contender describe(LockContender contender, boolean holds,
			Map<String, String> instances) {
		String instance = (contender.session() != null) ? instances.get(contender.session()) : null;
		return new ClusterLock.Contender(instance, client(contender), contender.mode(), holds, contender.token(),
				contender.since());
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
