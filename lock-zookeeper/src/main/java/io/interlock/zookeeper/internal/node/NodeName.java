package io.interlock.zookeeper.internal.node;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.zookeeper.Peers;
import org.jspecify.annotations.Nullable;

/**
 * The name of a node in the queue of a lock, made by Interlock or by any client that uses
 * one of six patterns: Curator's mutex ({@code lock-}) and read/write lock
 * ({@code __WRIT__}, {@code __READ__}), Kazoo's lock ({@code __lock__}) and read lock
 * ({@code __rlock__}), and a bare number, which the mutex waits for too. Interlock's own
 * pattern is that of a semaphore ({@code permit-}, the number of permits, and a dash).
 *
 * @param permits how many holders there may be at once
 * @since 0.1.0
 */
public record NodeName(String name, LockMode mode, int sequence, int permits) {

	public static final int NAME_BYTES = 80;

	private static final List<String> EXCLUSIVE = List.of("lock-", "__WRIT__", "__lock__");

	private static final List<String> SHARED = List.of("__READ__", "__rlock__");

	private static final String PERMIT = "permit-";

	private static final int MAX_DIGITS_OF_PERMITS = 9;

	/** Digits of a sequence number, which servers fill with zeros. */
	private static final int DIGITS = 10;

	/** Beyond this number, ZooKeeper repeats numbers and continues with negative ones. */
	private static final int LAST_TRUSTED = Integer.MAX_VALUE - (1 << 20);

	public static final Comparator<NodeName> BY_SEQUENCE = Comparator.comparingInt(NodeName::sequence)
		.thenComparing(NodeName::name);

	/**
	 * Parse a name, which is part of every acquisition.
	 * @return the name, or {@code null} if no lock recipe gives such names
	 */
	public static @Nullable NodeName parse(String name) {
		int number = startOfNumber(name);
		if (number < 0) {
			return null;
		}
		long sequence = Long.parseLong(name, number, name.length(), 10);
		String marker = markerBefore(name, number);
		if (marker == null || sequence != (int) sequence) {
			return null;
		}
		if (marker.startsWith(PERMIT)) {
			return new NodeName(name, LockMode.PERMIT, (int) sequence,
					Integer.parseInt(marker, PERMIT.length(), marker.length() - 1, 10));
		}
		return new NodeName(name, SHARED.contains(marker) ? LockMode.SHARED : LockMode.EXCLUSIVE, (int) sequence, 1);
	}

	/**
	 * Return where the sequence number starts. The servers print it with ten characters,
	 * and with eleven if it is negative and has ten digits. A name of another form was
	 * not made by a lock recipe.
	 * @return the index, or -1 if the name does not end with such a number
	 */
	private static int startOfNumber(String name) {
		int first = name.length();
		while (first > 0 && name.length() - first <= DIGITS && isDigit(name.charAt(first - 1))) {
			first--;
		}
		int digits = name.length() - first;
		boolean negative = first > 0 && name.charAt(first - 1) == '-';
		if (digits == DIGITS) {
			return (negative && markerBefore(name, first) == null) ? first - 1 : first;
		}
		return (negative && digits == DIGITS - 1) ? first - 1 : -1;
	}

	private static boolean isDigit(char character) {
		return character >= '0' && character <= '9';
	}

	/** Return the mark that ends at an index; empty at the start of the name. */
	private static @Nullable String markerBefore(String name, int end) {
		if (end == 0) {
			return "";
		}
		for (String marker : EXCLUSIVE) {
			if (name.startsWith(marker, end - marker.length())) {
				return marker;
			}
		}
		for (String marker : SHARED) {
			if (name.startsWith(marker, end - marker.length())) {
				return marker;
			}
		}
		return permitsBefore(name, end);
	}

	private static @Nullable String permitsBefore(String name, int end) {
		int first = end - 1;
		while (first > 0 && end - first <= MAX_DIGITS_OF_PERMITS && isDigit(name.charAt(first - 1))) {
			first--;
		}
		boolean permits = first < end - 1 && name.charAt(end - 1) == '-' && name.charAt(first) != '0'
				&& name.startsWith(PERMIT, first - PERMIT.length());
		return permits ? name.substring(first - PERMIT.length(), end) : null;
	}

	public static List<NodeName> parseAll(List<String> children) {
		List<NodeName> names = new ArrayList<>(children.size());
		for (String child : children) {
			NodeName name = parse(child);
			if (name != null) {
				names.add(name);
			}
		}
		return names;
	}

	/** Return whether {@link #inOrder} can do without times of creation. */
	public static boolean areOrderedBySequence(Collection<NodeName> contenders) {
		for (NodeName contender : contenders) {
			if (!contender.isOrderedBySequence()) {
				return false;
			}
		}
		return true;
	}

	/** Order by sequence number, or by creation if a number cannot be trusted. */
	public static List<NodeName> inOrder(Collection<NodeName> contenders, Map<String, Long> created) {
		if (areOrderedBySequence(contenders)) {
			return contenders.stream().sorted(BY_SEQUENCE).toList();
		}
		return contenders.stream()
			.filter((contender) -> created.containsKey(contender.name()))
			.sorted(Comparator.comparing((contender) -> Objects.requireNonNull(created.get(contender.name()))))
			.toList();
	}

	boolean isOrderedBySequence() {
		return this.sequence >= 0 && this.sequence <= LAST_TRUSTED;
	}

	/** Return whether a holder in another mode cannot hold at once, however many hold. */
	public boolean excludes(LockMode other) {
		return this.mode.excludes(other);
	}

	/**
	 * Return whether the client of this contender may have put another node before a
	 * waiting one when this one goes. A writer of Curator's read/write lock that becomes
	 * a reader makes a second node with the sequence number of its first.
	 */
	public boolean mayBeReplaced(LockMode waiting) {
		return waiting == LockMode.EXCLUSIVE && this.name.contains("__WRIT__");
	}

	/** Return whether a node may keep the lock taken when this contender goes. */
	public boolean mayBeKept() {
		return MinHoldNode.mayFollow(this.name);
	}

	/** Return the mark of the client's kind in the name; empty for a bare number. */
	public String marker() {
		int number = startOfNumber(this.name);
		return (number < 0) ? "" : Objects.requireNonNullElse(markerBefore(this.name, number), "");
	}

	public static String kind(LockRequest request, Peers peers) {
		return MinHoldNode.mark(request) + switch (request.mode()) {
			case EXCLUSIVE -> (peers == Peers.READ_WRITE) ? "__WRIT__" : "lock-";
			case SHARED -> "__READ__";
			case PERMIT -> "permit-" + request.permits() + "-";
		};
	}

	/**
	 * Starts the names of attempts as Curator does: {@code _c_<uuid>-}. The uuid finds
	 * the node of an attempt when the answer to its creation was lost. It is unique: one
	 * half is random for this object, the other half counts attempts.
	 */
	public static final class Prefixes {

		private static final String START = "_c_";

		/** As far as the half of the instance goes. */
		private static final int OWN_LENGTH = "_c_00000000-0000-0000-".length();

		private final long instance;

		private final String own;

		private final AtomicLong attempts = new AtomicLong();

		public Prefixes() {
			this(new SecureRandom().nextLong());
		}

		/** Create the prefixes of one instance, whose number no other instance has. */
		public Prefixes(long instance) {
			this.instance = instance;
			this.own = (START + new UUID(instance, 0)).substring(0, OWN_LENGTH);
		}

		public String next() {
			return START + new UUID(this.instance, this.attempts.incrementAndGet()) + "-";
		}

		/** Return whether a node was made by an attempt of this instance. */
		public boolean begin(String name) {
			return name.startsWith(this.own);
		}

	}

}
