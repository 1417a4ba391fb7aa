package io.interlock.curator;

import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A node in the queue of a lock, ours or of any client that speaks one of the five naming
 * patterns: Curator's mutex ({@code -lock-}) and read/write lock ({@code __WRIT__},
 * {@code __READ__}), and Kazoo's lock ({@code __lock__}) and read lock
 * ({@code __rlock__}).
 *
 * @param name name of the node
 * @param mode how it asks for the lock
 * @param sequence its sequence number
 */
record Contender(String name, LockMode mode, int sequence) {

	/**
	 * The servers print a sequence number with ten characters, and with eleven if it is
	 * negative and has ten digits. What looks otherwise was not made by a lock recipe.
	 */
	private static final Pattern PATTERN = Pattern
		.compile("(-lock-|__WRIT__|__READ__|__lock__|__rlock__)(\\d{10}|-\\d{9,10})$");

	/**
	 * From here on sequence numbers are not trusted: at their end ZooKeeper repeats them
	 * and goes on with negative ones.
	 */
	private static final int LAST_TRUSTED = Integer.MAX_VALUE - (1 << 20);

	static @Nullable Contender parse(String name) {
		Matcher matcher = PATTERN.matcher(name);
		if (!matcher.find()) {
			return null;
		}
		long sequence = Long.parseLong(matcher.group(2));
		if (sequence != (int) sequence) {
			return null;
		}
		String marker = matcher.group(1);
		LockMode mode = (marker.equals("__READ__") || marker.equals("__rlock__")) ? LockMode.SHARED
				: LockMode.EXCLUSIVE;
		return new Contender(name, mode, (int) sequence);
	}

	/**
	 * Pick the contenders out of the children of a lock.
	 * @param children names of all children; those that are no contenders are ignored
	 * @return the contenders, in no particular order
	 */
	static List<Contender> parseAll(List<String> children) {
		return children.stream().map(Contender::parse).filter(Objects::nonNull).map(Objects::requireNonNull).toList();
	}

	boolean isOrderedBySequence() {
		return this.sequence >= 0 && this.sequence <= LAST_TRUSTED;
	}

	boolean excludes(LockMode other) {
		return this.mode == LockMode.EXCLUSIVE || other == LockMode.EXCLUSIVE;
	}

}
