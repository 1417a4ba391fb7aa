package io.interlock.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A data source that keeps the statements which are sent, and swallows or refuses those
 * that a test names.
 */
public final class WatchedDataSource extends DelegatingDataSource {

	private static final Set<String> TRANSACTIONS = Set.of("commit", "rollback", "setAutoCommit",
			"setTransactionIsolation", "setReadOnly");

	/** What was sent, or swallowed, or refused. */
	public final Queue<String> statements = new ConcurrentLinkedQueue<>();

	/** Calls that cost a request beside the statements: commits, and what begins them. */
	final Queue<String> transactions = new ConcurrentLinkedQueue<>();

	/** How many connections are out. */
	public final AtomicInteger connections = new AtomicInteger();

	private volatile @Nullable Connection newest;

	volatile Predicate<String> swallowed = (sql) -> false;

	volatile Predicate<String> refused = (sql) -> false;

	public WatchedDataSource(DataSource target) {
		super(target);
	}

	/**
	 * Return how many statements begin like this.
	 */
	public long count(String beginning) {
		return this.statements.stream().filter((sql) -> sql.startsWith(beginning)).count();
	}

	void forget() {
		this.statements.clear();
		this.transactions.clear();
	}

	/**
	 * Return the server process of the newest connection.
	 */
	int newestProcess() throws SQLException {
		return Objects.requireNonNull(this.newest).unwrap(PGConnection.class).getBackendPID();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		this.connections.incrementAndGet();
		this.newest = connection;
		return proxy(Connection.class, connection);
	}

	private <T> T proxy(Class<T> type, T target) {
		return type.cast(Proxy.newProxyInstance(WatchedDataSource.class.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					if (method.getName().equals("close") && target instanceof Connection) {
						this.connections.decrementAndGet();
					}
					if (TRANSACTIONS.contains(method.getName())) {
						this.transactions.add(method.getName());
					}
					if (arguments != null && arguments[0] instanceof String sql) {
						this.statements.add(sql);
						if (this.refused.test(sql)) {
							throw new SQLException("The test refuses it", "42883");
						}
						if (this.swallowed.test(sql)) {
							return false;
						}
					}
					Object result = AopUtils.invokeJoinpointUsingReflection(target, method,
							(arguments != null) ? arguments : new Object[0]);
					return (method.getName().equals("createStatement")) ? proxy(Statement.class, (Statement) result)
							: result;
				}));
	}

}
