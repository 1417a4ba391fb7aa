package io.interlock.zookeeper.internal.session;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Access to the ZooKeeper handle beneath Curator, for requests that must be sent once, at
 * a known time, in a known session: Curator's background operations are queued and
 * retried. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ClientHandle {

	private static final int FAILURES_OF_OTHERS = 20;

	private static final int MAX_PATHS = 10_000;

	private static final long MAX_AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

	/**
	 * Assumed drift of clocks: a thousandth, which is more than that of any real clock.
	 */
	private static final int DRIFT_DIVISOR = 1000;

	private final CuratorFramework client;

	private final String namespace;

	private final Map<String, Integer> lostLists = new ConcurrentHashMap<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private volatile @Nullable ClockReading newest;

	public ClientHandle(CuratorFramework client) {
		this.client = client;
		String namespace = client.getNamespace();
		this.namespace = (namespace != null) ? namespace : "";
	}

	/**
	 * Return the current handle. Without a connection this may wait while another thread
	 * closes the last handle. Curator also throws failures of other threads from here,
	 * each once, so it is asked again.
	 */
	ZooKeeper current() {
		for (int tries = 1;; tries++) {
			try {
				return this.client.getZookeeperClient().getZooKeeper();
			}
			catch (Exception ex) {
				if (tries == FAILURES_OF_OTHERS || this.client.getState() != CuratorFrameworkState.STARTED) {
					throw new IllegalStateException("There is no ZooKeeper handle", ex);
				}
			}
		}
	}

	/** Return the paths whose list was lost, with the last count of children or zero. */
	public Map<String, Integer> lostLists() {
		return this.lostLists;
	}

	public void listLost(String path) {
		if (this.lostLists.size() >= MAX_PATHS) {
			// A list that is still too long is lost again, and noted again.
			this.lostLists.clear();
		}
		this.lostLists.putIfAbsent(path, 0);
	}

	/** Return whether a node was not asked for before, so that it is reported once. */
	public boolean isNews(String path) {
		if (this.reported.size() >= MAX_PATHS) {
			this.reported.clear();
		}
		return this.reported.add(path);
	}

	/** Note what the servers' clock showed at a creation, and when that was sent. */
	public void clockRead(Stat stat, long sentAt) {
		this.newest = new ClockReading(stat.getCtime(), sentAt, System.nanoTime(), number());
	}

	/**
	 * Return a time that the servers' clock has reached, in milliseconds, even if it goes
	 * a little slower than the own one; zero before anything was made.
	 */
	public long serverTimeReached(long now) {
		ClockReading read = this.newest;
		return (read != null) ? read.time() + millis(now - read.answeredAt(), -1) : 0;
	}

	/**
	 * Return a time that the servers' clock has not reached, in milliseconds; the latest
	 * of all if it was not read lately, and with this handle: while a machine sleeps, its
	 * clock may stand still, and the session ends.
	 */
	public long serverTimeAhead(long now) {
		ClockReading read = this.newest;
		return (read != null && read.number() == number() && now - read.sentAt() < MAX_AGE_NANOS)
				? read.time() + millis(now - read.sentAt(), 1) + 1 : Long.MAX_VALUE;
	}

	private static long millis(long nanos, int drift) {
		return TimeUnit.NANOSECONDS.toMillis(nanos + drift * nanos / DRIFT_DIVISOR);
	}

	/** Return the number of the handle, which changes before that is closed. No I/O. */
	long number() {
		return this.client.getZookeeperClient().getInstanceIndex();
	}

	/**
	 * Return whether Curator considers itself connected, without I/O. It may be wrong.
	 */
	boolean isConnected() {
		return this.client.getZookeeperClient().isConnected();
	}

	/** Return the handle if it is connected, with a session that is confirmed. */
	public @Nullable ZooKeeper connected() {
		if (this.client.getState() != CuratorFrameworkState.STARTED || !isConnected()) {
			return null;
		}
		ZooKeeper zooKeeper = current();
		return (zooKeeper.getState() == ZooKeeper.States.CONNECTED && zooKeeper.getSessionId() != 0) ? zooKeeper : null;
	}

	/** Return what an answer means: {@link Code#SYSTEMERROR} if only servers know it. */
	public static Code code(int number) {
		try {
			return Code.get(number);
		}
		catch (IllegalArgumentException ex) {
			return Code.SYSTEMERROR;
		}
	}

	/** Return a path below the namespace, as the handle needs it. */
	public String absolute(String path) {
		if (this.namespace.isEmpty()) {
			return path;
		}
		return "/" + this.namespace + (path.equals("/") ? "" : path);
	}

	private record ClockReading(long time, long sentAt, long answeredAt, long number) {
	}

}
