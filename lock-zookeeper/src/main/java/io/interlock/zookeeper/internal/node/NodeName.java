package io.interlock.zookeeper.internal.node;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

	/**
	 * The servers print a sequence number with ten characters, and with eleven if it is
	 * negative and has ten digits. A name of another form was not made by a lock recipe.
	 */
	private static final Pattern PATTERN = Pattern
		.compile("(^|lock-|__WRIT__|__READ__|__lock__|__rlock__|permit-([1-9]\\d{0,8})-)(\\d{10}|-\\d{9,10})$");

	/** Beyond this number, ZooKeeper repeats numbers and continues with negative ones. */
	private static final int LAST_TRUSTED = Integer.MAX_VALUE - (1 << 20);

	public static final Comparator<NodeName> BY_SEQUENCE = Comparator.comparingInt(NodeName::sequence)
		.thenComparing(NodeName::name);

	public static @Nullable NodeName parse(String name) {
		Matcher matcher = PATTERN.matcher(name);
		if (!matcher.find()) {
			return null;
		}
		long sequence = Long.parseLong(matcher.group(3));
		if (sequence != (int) sequence) {
			return null;
		}
		String marker = matcher.group(1);
		if (matcher.group(2) != null) {
			return new NodeName(name, LockMode.PERMIT, (int) sequence, Integer.parseInt(matcher.group(2)));
		}
		boolean shared = marker.equals("__READ__") || marker.equals("__rlock__");
		return new NodeName(name, shared ? LockMode.SHARED : LockMode.EXCLUSIVE, (int) sequence, 1);
	}

	public static List<NodeName> parseAll(List<String> children) {
		return children.stream().map(NodeName::parse).filter(Objects::nonNull).map(Objects::requireNonNull).toList();
	}

	/** Return whether {@link #inOrder} can do without times of creation. */
	public static boolean areOrderedBySequence(Collection<NodeName> contenders) {
		return contenders.stream().allMatch(NodeName::isOrderedBySequence);
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
		Matcher matcher = PATTERN.matcher(this.name);
		return matcher.find() ? matcher.group(1) : "";
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
