package io.interlock.zookeeper.internal.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * A node that keeps a lock taken for its minimum time after its holder has ended. It
 * belongs to no session, so it outlives its instance. Its name says everything, so that a
 * list of the lock's children is enough. No lock recipe takes it for a contender, and
 * recipes that sort all children by name put it behind those with numbers.
 *
 * @param end when the lock is free, in milliseconds of the servers' clock
 * @since 0.1.0
 */
public record MinHoldNode(String name, LockMode mode, int permits, long token, long end) {

	private static final String START = "kept-";

	/** Stands between uuid and kind in the name of a node that may be replaced. */
	private static final String MARK = "keep-";

	/** A day more than any minimum time, because the clocks of servers differ. */
	private static final long LONGEST_MILLIS = LockRequest.MAX_MIN_HOLD.plusDays(1).toMillis();

	private static final Pattern PATTERN = Pattern
		.compile(START + "(exclusive|shared|permit-([1-9]\\d{0,8}))-(\\d{1,19})-(\\d{13,18})");

	/** Return the node that replaces a contender until a time of the servers, in ms. */
	public static MinHoldNode insteadOf(LockNode contender, long end) {
		NodeName held = Objects.requireNonNull(NodeName.parse(contender.name()));
		String kind = switch (held.mode()) {
			case EXCLUSIVE -> "exclusive";
			case SHARED -> "shared";
			case PERMIT -> "permit-" + held.permits();
		};
		return new MinHoldNode(START + kind + "-" + contender.czxid() + "-" + end, held.mode(), held.permits(),
				contender.czxid(), end);
	}

	static String mark(LockRequest request) {
		return (request.minHold() != null && !request.minHold().isZero()) ? MARK : "";
	}

	public static boolean mayFollow(String name) {
		return name.contains("-" + MARK);
	}

	/** Parse the name of a child of a lock; {@code null} if no instance writes it. */
	public static @Nullable MinHoldNode parse(String name) {
		if (!name.startsWith(START)) {
			return null;
		}
		Matcher matcher = PATTERN.matcher(name);
		if (!matcher.matches()) {
			return null;
		}
		LockMode mode = switch (matcher.group(1)) {
			case "exclusive" -> LockMode.EXCLUSIVE;
			case "shared" -> LockMode.SHARED;
			default -> LockMode.PERMIT;
		};
		int permits = (mode == LockMode.PERMIT) ? Integer.parseInt(matcher.group(2)) : 1;
		try {
			return new MinHoldNode(name, mode, permits, Long.parseLong(matcher.group(3)),
					Long.parseLong(matcher.group(4)));
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/** Return whether the lock is kept at a time of the servers, in milliseconds. */
	public boolean keepsAt(long time) {
		return this.end > time && !isTooFarAheadAt(time);
	}

	/**
	 * Return whether the end lies further ahead than that of any minimum time, so that no
	 * instance has set it, or one did by a clock that was wrong.
	 */
	public boolean isTooFarAheadAt(long time) {
		return this.end - time > LONGEST_MILLIS;
	}

	public static List<MinHoldNode> parseAll(List<String> children) {
		List<MinHoldNode> kept = new ArrayList<>(0);
		for (String child : children) {
			MinHoldNode node = parse(child);
			if (node != null) {
				kept.add(node);
			}
		}
		return kept;
	}

}
