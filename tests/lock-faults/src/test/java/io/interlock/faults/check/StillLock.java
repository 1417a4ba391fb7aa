package io.interlock.faults.check;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A lock that stands still, as it was seen at that moment.
 *
 * @param key which lock
 * @param at when it was seen
 * @param queue what lies in its queue, the first in front
 * @param processes what each process believes
 */
public record StillLock(String key, long at, List<Contender> queue, List<Belief> processes) {

	@Override
	public String toString() {
		return "at %d, in front is %s%s%s".formatted(this.at,
				this.queue.stream().map(this::described).collect(Collectors.joining("\n  behind it ")),
				this.queue.isEmpty() ? "nothing" : "",
				this.processes.stream().map((belief) -> "\n  " + belief).collect(Collectors.joining()));
	}

	private String described(Contender contender) {
		String owner = contender.owner();
		return owner.isEmpty() ? contender.toString()
				: contender + " of "
						+ this.processes.stream()
							.filter((belief) -> belief.lines().contains(owner))
							.map(Belief::worker)
							.findFirst()
							.orElse("no process that answers");
	}

	/**
	 * What lies in a queue.
	 *
	 * @param name its name
	 * @param owner what its owner says of itself in a line of its own,
	 * {@code session 0x1a} for instance, or nothing
	 * @param details what else is known of it
	 */
	public record Contender(String name, String owner, String details) {

		@Override
		public String toString() {
			return "%s (%s) %s".formatted(this.name, this.details, this.owner).trim();
		}

	}

	/**
	 * What a process believes.
	 *
	 * @param worker which worker
	 * @param lines who it is, what its threads do with the lock and where they are, and
	 * what its locks know; empty if the process does not answer
	 */
	public record Belief(String worker, List<String> lines) {

		@Override
		public String toString() {
			return this.worker + (this.lines.isEmpty() ? " does not answer"
					: this.lines.stream().collect(Collectors.joining("\n    ", " says:\n    ", "")));
		}

	}

}
