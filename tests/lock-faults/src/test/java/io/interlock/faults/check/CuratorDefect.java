package io.interlock.faults.check;

import java.util.LinkedHashMap;
import java.util.Map;

import io.interlock.faults.check.ExclusionChecker.Together;

/**
 * Defects of plain Curator that show in a run at random. One pair of holders may show
 * several of them, or none: a process that was stopped, for instance.
 */
public enum CuratorDefect {

	/**
	 * {@code acquire} with a limit blocks for as long as the retries take.
	 */
	F1("answers more than 50 ms late") {

		@Override
		long count(History history) {
			return history.attempts()
				.stream()
				.filter((attempt) -> !attempt.isSetAside() && attempt.error() > DeadlineChecker.ALLOWED_NANOS)
				.count();
		}

	},

	/**
	 * A server that is cut off from its leader keeps its clients connected.
	 */
	F2("granted to the next while the holder was told nothing, behind a server that was cut off") {

		@Override
		boolean explains(Together pair, History history) {
			long from = pair.earlier().grantedAt();
			long to = pair.later().grantedAt();
			return !history.wasTold(pair.earlier().instance(), SUSPENDED, from, to)
					&& history.faultsWithin(from, to)
						.noneMatch((fault) -> fault.target().equals(pair.earlier().worker()))
					&& history.faultsWithin(from, to).anyMatch((fault) -> fault.kind().endsWith("_CUT_OFF"));
		}

	},

	/**
	 * By default LOST comes after the session has ended.
	 */
	F4("granted to the next after SUSPENDED and before LOST") {

		@Override
		boolean explains(Together pair, History history) {
			long from = pair.earlier().grantedAt();
			long to = pair.later().grantedAt();
			return history.wasTold(pair.earlier().instance(), SUSPENDED, from, to)
					&& !history.wasTold(pair.earlier().instance(), "LOST", from, to);
		}

	},

	/**
	 * A thread enters again what it has lost.
	 */
	F5("re-entered while the next held") {

		@Override
		boolean explains(Together pair, History history) {
			return pair.earlier().reenteredAt() > pair.later().grantedAt();
		}

	};

	private static final String SUSPENDED = "SUSPENDED";

	private final String text;

	CuratorDefect(String text) {
		this.text = text;
	}

	/**
	 * Count what a run has shown.
	 * @param history what happened
	 * @return how often, by defect and what it looks like
	 */
	public static Map<String, Long> shown(History history) {
		Map<String, Long> shown = new LinkedHashMap<>();
		for (CuratorDefect defect : values()) {
			shown.put("%s: %s".formatted(defect, defect.text), defect.count(history));
		}
		return shown;
	}

	long count(History history) {
		return ExclusionChecker.together(history).stream().filter((pair) -> explains(pair, history)).count();
	}

	boolean explains(Together pair, History history) {
		return false;
	}

}
