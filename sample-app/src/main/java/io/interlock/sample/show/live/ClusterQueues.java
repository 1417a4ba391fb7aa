package io.interlock.sample.show.live;

import java.util.List;
import java.util.Map;
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
 * Reads the queues of all locks from ZooKeeper, as the Actuator does.
 */
@Component
class ClusterQueues {

	private static final LockInspector.Query QUERY = new LockInspector.Query(null, null, 0, 50, 20);

	private final ObjectProvider<LockInspector> inspector;

	ClusterQueues(ObjectProvider<LockInspector> inspector) {
		this.inspector = inspector;
	}

	/**
	 * Read the queues.
	 * @param sessions names of the instances by their sessions
	 * @param tokens names of the instances by the tokens of their holds: the node of a
	 * lock that is kept belongs to no session
	 * @return the queues that have contenders, or nothing while ZooKeeper does not answer
	 */
	List<ClusterLock> read(Map<String, String> sessions, Map<Long, String> tokens) {
		LockInspector inspector = this.inspector.getIfAvailable();
		if (inspector == null) {
			return List.of();
		}
		try {
			return inspector.locks(QUERY)
				.locks()
				.stream()
				.filter((lock) -> lock.contenders() > 0)
				.map((lock) -> describe(lock, sessions, tokens))
				.toList();
		}
		catch (LockInspectionException ex) {
			return List.of();
		}
	}

	private static ClusterLock describe(QueuedLock lock, Map<String, String> sessions, Map<Long, String> tokens) {
		return new ClusterLock(lock.name(), lock.key(),
				Stream
					.concat(lock.holders().stream().map((node) -> describe(node, true, sessions, tokens)),
							lock.queue().stream().map((node) -> describe(node, false, sessions, tokens)))
					// without a token it went while it was read
					.filter((contender) -> contender.token() != null)
					.toList());
	}

	private static ClusterLock.Contender describe(LockContender contender, boolean holds, Map<String, String> sessions,
			Map<Long, String> tokens) {
		String instance = (contender.session() != null) ? sessions.get(contender.session())
				: (contender.token() != null) ? tokens.get(contender.token()) : null;
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
