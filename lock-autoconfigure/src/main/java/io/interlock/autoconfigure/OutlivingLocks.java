package io.interlock.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.interlock.LockOperator;
import io.interlock.template.LockSnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells an operator which locks stay taken when an instance has stopped, and until when:
 * one line, with at most ten names.
 */
final class OutlivingLocks {

	private static final Log logger = LogFactory.getLog(OutlivingLocks.class);

	private static final int NAMES = 10;

	private OutlivingLocks() {
	}

	static void tell(List<LockSnapshot> left) {
		if (left.isEmpty()) {
			return;
		}
		String names = left.stream().limit(NAMES).map(OutlivingLocks::describe).collect(Collectors.joining(", "));
		int more = left.size() - NAMES;
		logger.info("Locks that stay held after this instance has stopped: %d, %s%s".formatted(left.size(), names,
				(more > 0) ? ", and %d more".formatted(more) : ""));
	}

	private static String describe(LockSnapshot lock) {
		LockOperator operator = lock.operator();
		return "%s until %s %s".formatted(lock.id(), lock.keptUntil(),
				(operator != null) ? "for operator " + operator.name() : "for its minimum hold time");
	}

}
