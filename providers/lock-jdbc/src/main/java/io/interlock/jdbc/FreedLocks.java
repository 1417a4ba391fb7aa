package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.interlock.LockId;
import io.interlock.internal.LockThreads;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Receives the words of contenders of this instance whose locks may be free, as
 * notifications of PostgreSQL. While contenders wait, and for some time afterwards, a
 * thread has one connection that listens.
 * <p>
 * Invariants:
 * <ul>
 * <li>A contender is known here before its question is sent, so that no notification
 * after the answer passes it by.
 * <li>{@link #isTelling()} is {@code true} only while a connection listens that has
 * received a notification of this instance. When that ends, each lock with a waiting
 * contender is told as one that may be free.
 * <li>A connection goes back to its pool only after it has ceased to listen.
 * </ul>
 */
final class FreedLocks implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(FreedLocks.class);

	private static final int PATIENCE_SECONDS = 2;

	/** How late the thread that listens notices that it is to end. */
	private static final int SLICE_MILLIS = 500;

	/** Number of times within its stay that a silent connection is checked. */
	private static final int LOOKS = 6;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long LONGEST_PAUSE_MILLIS = 10_000;

	private final @Nullable DataSource dataSource;

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	/** By their {@linkplain ReleaseNews#wordOf(String) words}. */
	private final ConcurrentMap<String, LeaseContender> waiting = new ConcurrentHashMap<>();

	private final Duration stay;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile Consumer<LockId> freed = (id) -> {
	};

	private volatile long waitedAt;

	private volatile boolean telling;

	/** Whether notifications have arrived before, so that a lack of them is temporary. */
	private volatile boolean proven;

	private volatile boolean refused;

	private @Nullable Thread thread;

	private @Nullable Connection connection;

	/**
	 * Create a receiver.
	 * @param dataSource gives the connection that listens; {@code null} if none is to
	 * @param calls sends a notification to this instance
	 * @param sql the statements
	 * @param stay how long to listen when no contender waits any more
	 */
	FreedLocks(@Nullable DataSource dataSource, JdbcCalls calls, JdbcStatements sql, Duration stay) {
		this.dataSource = dataSource;
		this.calls = calls;
		this.sql = sql;
		this.stay = stay;
	}

	void listen(Consumer<LockId> freed) {
		this.freed = freed;
	}

	boolean isTelling() {
		return this.telling;
	}

	/**
	 * Ask for a lock on behalf of a contender that waits if it does not get it.
	 */
	LeaseAnswer ask(LeaseContender contender, Supplier<LeaseAnswer> question) {
		if (this.dataSource == null || this.refused) {
			return question.get();
		}
		this.waiting.put(ReleaseNews.wordOf(contender.id()), contender);
		LeaseAnswer answer = question.get();
		if (answer.granted()) {
			forget(contender);
		}
		else {
			start(this.dataSource);
		}
		return answer;
	}

	/** Forget a contender that waits no more. */
	void forget(LeaseContender contender) {
		if (!this.waiting.isEmpty()) {
			this.waiting.remove(ReleaseNews.wordOf(contender.id()));
		}
	}

	private synchronized void start(DataSource dataSource) {
		this.waitedAt = System.nanoTime();
		if (this.thread != null || isClosed()) {
			return;
		}
		Thread thread = LockThreads.LISTEN.thread("jdbc", () -> run(dataSource));
		this.thread = thread;
		try {
			thread.start();
		}
		catch (Throwable ex) {
			this.thread = null;
			logger.debug("No thread is available to listen for released locks; waiters poll instead", ex);
		}
	}

	private boolean isClosed() {
		return this.closed.getCount() == 0;
	}

	private boolean isWanted() {
		return !isClosed() && !this.refused
				&& (!this.waiting.isEmpty() || System.nanoTime() - this.waitedAt < this.stay.toNanos());
	}

	private void run(DataSource dataSource) {
		try {
			long pause = FIRST_PAUSE_MILLIS;
			while (isWanted()) {
				long begun = System.nanoTime();
				listen(dataSource);
				if (this.closed.await(pause, TimeUnit.MILLISECONDS)) {
					return;
				}
				boolean lasted = System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(2 * LONGEST_PAUSE_MILLIS);
				pause = lasted ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			// The next contender that has to wait starts a new thread.
			synchronized (this) {
				this.thread = null;
			}
		}
	}

	private void listen(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			register(connection);
			if (isClosed()) {
				return;
			}
			try {
				receive(connection);
			}
			catch (Throwable ex) {
				try {
					refuseIfLasting(connection, ex);
				}
				finally {
					connection.abort(Runnable::run);
				}
				throw ex;
			}
			finally {
				register(null);
			}
		}
		catch (Throwable ex) {
			logger.debug("Notifications of released locks failed; waiters poll instead", ex);
		}
		finally {
			stopTelling();
		}
	}

	/** Note which connection {@link #close} has to end. */
	private synchronized void register(@Nullable Connection connection) {
		this.connection = connection;
	}

	private void receive(Connection connection) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		connection.setAutoCommit(true);
		execute(connection, this.sql.listen());
		prove(connection);
		this.proven = true;
		this.telling = true;
		while (isWanted()) {
			List<String> rows = await(connection, this.stay.toMillis() / LOOKS);
			rows.forEach(this::tell);
			if (rows.isEmpty() && !isClosed() && !connection.isValid(PATIENCE_SECONDS)) {
				throw new SQLException("The listening connection does not answer");
			}
		}
		stopTelling();
		execute(connection, this.sql.unlisten());
		connection.setAutoCommit(autoCommit);
	}

	/** Return what has arrived; empty if nothing has, or the instance stops. */
	private List<String> await(Connection connection, long millis) throws SQLException {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		List<String> rows = List.of();
		for (long left = millis; left > 0 && rows.isEmpty()
				&& !isClosed(); left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
			rows = PostgresChannel.await(connection, (int) Math.min(left, SLICE_MILLIS));
		}
		return rows;
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/**
	 * Make sure that a notification from another connection arrives: a proxy may have
	 * given the listening session to another client.
	 */
	private void prove(Connection connection) throws SQLException {
		String sent = UUID.randomUUID().toString();
		this.calls.run((client) -> client.sql(this.sql.tell()).param(sent).query((row, number) -> true).list());
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		for (long left = PATIENCE_SECONDS * 1000L; left > 0; left = TimeUnit.NANOSECONDS
			.toMillis(deadline - System.nanoTime())) {
			List<String> rows = await(connection, left);
			rows.forEach(this::tell);
			if (rows.contains(sent) || isClosed()) {
				return;
			}
		}
		throw new SQLException(
				"a notification to itself has not arrived within %d seconds".formatted(PATIENCE_SECONDS));
	}

	private void tell(String words) {
		tell(Arrays.stream(words.split(" ")).flatMap((word) -> Stream.ofNullable(this.waiting.get(word))));
	}

	private void tell(Stream<LeaseContender> contenders) {
		contenders.map(LeaseContender::lock).distinct().forEach(this.freed);
	}

	private void stopTelling() {
		if (this.telling) {
			this.telling = false;
			tell(this.waiting.values().stream());
		}
	}

	private void refuseIfLasting(Connection connection, Throwable failure) throws SQLException {
		boolean answered = (failure instanceof LeaseStoreException refusal) ? !refusal.isPassing()
				: (failure instanceof SQLException || failure instanceof LinkageError);
		if (answered && !this.proven && !isClosed() && connection.isValid(PATIENCE_SECONDS)) {
			this.refused = true;
			warn(failure);
		}
	}

	/** Warn once that waiting instances do not learn of releases. */
	void warn(Throwable reason) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(("PostgreSQL cannot notify this instance of released locks: %s. The instance polls every "
					+ "interlock.jdbc.poll-interval instead. Give the locks a DataSource that connects to "
					+ "PostgreSQL directly, or set interlock.jdbc.notify to false")
				.formatted(reason.getMessage()));
			logger.debug("Why PostgreSQL cannot notify this instance of released locks", reason);
		}
	}

	/** End the thread, and its connection if the server keeps the thread from it. */
	@Override
	public void close() {
		Thread thread;
		synchronized (this) {
			this.closed.countDown();
			thread = this.thread;
		}
		if (thread != null && !hasEnded(thread)) {
			abort();
			thread.interrupt();
			hasEnded(thread);
		}
	}

	private static boolean hasEnded(Thread thread) {
		try {
			thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return !thread.isAlive();
	}

	private synchronized void abort() {
		if (this.connection != null) {
			try {
				this.connection.abort(Runnable::run);
			}
			catch (SQLException ex) {
				logger.debug("The listening connection could not be closed", ex);
			}
		}
	}

}
