package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.interlock.template.LockContext;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Warns once of a method whose first lock comes after what it reads. */
final class StaleReads {

	private static final Log logger = LogFactory.getLog(StaleReads.class);

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			StaleReads.class.getClassLoader());

	private final Set<Method> told = ConcurrentHashMap.newKeySet();

	void check(LockDefinition definition) {
		String origin = TRANSACTIONS_PRESENT ? Transactions.origin() : null;
		if (origin != null && LockContext.held().isEmpty() && this.told.add(definition.method())) {
			logger.warn(
					"%s takes lock '%s' inside %s: what it reads may be older than the lock. Take the lock before that begins"
						.formatted(LockDefinitionException.describe(definition.method()),
								definition.request().id().name(), origin));
		}
	}

	/** Loaded with spring-tx only. */
	private static final class Transactions {

		static @Nullable String origin() {
			Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
			if (isolation != null && isolation >= TransactionDefinition.ISOLATION_REPEATABLE_READ
					&& TransactionSynchronizationManager.isActualTransactionActive()) {
				return (isolation == TransactionDefinition.ISOLATION_REPEATABLE_READ)
						? "a transaction of REPEATABLE_READ" : "a transaction of SERIALIZABLE";
			}
			return TransactionSynchronizationManager.getResourceMap()
				.values()
				.stream()
				.anyMatch(Transactions::isSession) ? "an open session of JPA" : null;
		}

		private static boolean isSession(Object resource) {
			return resource instanceof ResourceHolderSupport
					&& Stream.<Class<?>>iterate(resource.getClass(), (type) -> type != null, Class::getSuperclass)
						.anyMatch((type) -> type.getName().equals("org.springframework.orm.jpa.EntityManagerHolder"));
		}

	}

}
