package io.interlock.template;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Warns once of each method whose thread takes its first lock after what it may have
 * read: inside a transaction that reads from a snapshot, or with an open session of JPA.
 * A transaction without an isolation of its own has the default of its connection, which
 * is asked once for each data source.
 */
final class StaleReads {

	private static final Log logger = LogFactory.getLog(StaleReads.class);

	private static final boolean TRANSACTIONS_PRESENT = isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager");

	private static final boolean CONNECTIONS_PRESENT = isPresent(
			"org.springframework.jdbc.datasource.ConnectionHolder");

	private static final Pattern NOT_A_CALLER = Pattern
		.compile("(io\\.interlock\\.(template|interceptor)|org\\.springframework|java|jdk)\\..+");

	private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

	private final Map<Object, Integer> defaults = new ConcurrentReferenceHashMap<>();

	private final Set<String> told = ConcurrentHashMap.newKeySet();

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, StaleReads.class.getClassLoader());
	}

	void check(LockRequest request) {
		if (!TRANSACTIONS_PRESENT || LockContext.holdsAny()) {
			return;
		}
		String origin = Transactions.origin(this.defaults);
		if (origin == null) {
			return;
		}
		String caller = caller();
		if (this.told.add(caller)) {
			logger.warn(
					"%s takes lock '%s' inside %s: what it reads may be older than the lock. Take the lock before that begins"
						.formatted(caller, request.id().name(), origin));
		}
	}

	/** Return the annotated method, or the one that asks for the lock in its code. */
	private static String caller() {
		return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
			.walk((frames) -> frames.filter(StaleReads::isCaller).findFirst())
			.map(StaleReads::describe)
			.orElse("A thread");
	}

	private static boolean isCaller(StackFrame frame) {
		return !NOT_A_CALLER.matcher(frame.getClassName()).matches() && !Proxy.isProxyClass(frame.getDeclaringClass());
	}

	private static String describe(StackFrame frame) {
		String type = ClassUtils.getUserClass(frame.getDeclaringClass()).getName();
		Matcher lambda = LAMBDA.matcher(frame.getMethodName());
		return lambda.matches() ? "%s.%s".formatted(type, lambda.group(1))
				: "%s.%s(%s)".formatted(type, frame.getMethodName(),
						frame.getMethodType()
							.parameterList()
							.stream()
							.map(Class::getSimpleName)
							.collect(Collectors.joining(", ")));
	}

	/** Loaded with spring-tx only. */
	private static final class Transactions {

		static @Nullable String origin(Map<Object, Integer> defaults) {
			boolean active = TransactionSynchronizationManager.isActualTransactionActive();
			Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
			if (active && isolation != null && isolation >= Connection.TRANSACTION_REPEATABLE_READ) {
				return "a transaction of " + name(isolation);
			}
			Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
			if (resources.values().stream().anyMatch(Transactions::isSession)) {
				return "an open session of JPA";
			}
			int byDefault = (active && isolation == null && CONNECTIONS_PRESENT)
					? Connections.isolation(resources, defaults) : Connection.TRANSACTION_NONE;
			return (byDefault >= Connection.TRANSACTION_REPEATABLE_READ)
					? "a transaction of %s, the default of its database".formatted(name(byDefault)) : null;
		}

		private static String name(int isolation) {
			return switch (isolation) {
				case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE_READ";
				case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
				default -> "SNAPSHOT";
			};
		}

		private static boolean isSession(Object resource) {
			return resource instanceof ResourceHolderSupport
					&& Stream.<Class<?>>iterate(resource.getClass(), (type) -> type != null, Class::getSuperclass)
						.anyMatch((type) -> type.getName().equals("org.springframework.orm.jpa.EntityManagerHolder"));
		}

	}

	/** Loaded with spring-jdbc only. */
	private static final class Connections {

		static int isolation(Map<Object, Object> resources, Map<Object, Integer> defaults) {
			int strictest = Connection.TRANSACTION_NONE;
			for (Map.Entry<Object, Object> resource : resources.entrySet()) {
				if (resource.getValue() instanceof ConnectionHolder holder && isInTransaction(holder)) {
					strictest = Math.max(strictest,
							defaults.computeIfAbsent(resource.getKey(), (dataSource) -> isolation(holder)));
				}
			}
			return strictest;
		}

		private static boolean isInTransaction(ConnectionHolder holder) {
			try {
				return holder.isSynchronizedWithTransaction() && !holder.getConnection().getAutoCommit();
			}
			catch (SQLException ex) {
				return false;
			}
		}

		private static int isolation(ConnectionHolder holder) {
			try {
				return holder.getConnection().getTransactionIsolation();
			}
			catch (SQLException ex) {
				return Connection.TRANSACTION_NONE;
			}
		}

	}

}
