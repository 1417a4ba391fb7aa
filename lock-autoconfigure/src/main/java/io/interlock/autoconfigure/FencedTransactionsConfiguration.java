package io.interlock.autoconfigure;

import java.beans.PropertyDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Adds a fence to each transaction manager that has a data source.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(FencedTransactionsConfiguration.OnFence.class)
@EnableConfigurationProperties(InterlockProperties.Locks.class)
@ImportRuntimeHints(FencedTransactionsConfiguration.Hints.class)
class FencedTransactionsConfiguration {

	@Bean
	static Fences interlockTransactionFences(ObjectProvider<InterlockProperties> interlock,
			ObjectProvider<InterlockProperties.Transactions> transactions,
			ObjectProvider<InterlockProperties.Locks> locks, Environment environment) {
		return new Fences(interlock, transactions, locks, environment);
	}

	@Bean
	UnfencedLocks interlockUnfencedLocks(InterlockProperties.Locks locks) {
		return new UnfencedLocks(locks);
	}

	/**
	 * Warns once of each lock that is to be fenced by its name, and was held without a
	 * transaction.
	 */
	static class UnfencedLocks implements LockListener {

		private static final Log logger = LogFactory.getLog(UnfencedLocks.class);

		private final InterlockProperties.Locks locks;

		private final Set<LockHandle> fenced = ConcurrentHashMap.newKeySet();

		private final Set<String> warned = ConcurrentHashMap.newKeySet();

		UnfencedLocks(InterlockProperties.Locks locks) {
			this.locks = locks;
		}

		@Override
		public void onFencedTransaction(LockHandle handle, boolean passed) {
			this.fenced.add(handle);
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			String name = handle.id().name();
			InterlockProperties.Lock lock = this.locks.get(name);
			if (!this.fenced.remove(handle) && lock != null && Boolean.TRUE.equals(lock.fence())
					&& handle.mode() == LockMode.EXCLUSIVE && this.warned.add(name)) {
				logger.warn(("Lock '%s' should be fenced (interlock.locks.%s.fence), but was held without a "
						+ "transaction that its fence covers: writes under it were not fenced")
					.formatted(name, name));
			}
		}

	}

	/**
	 * The fences of the managers of an application. Their tables are created and checked
	 * when all singletons are there, because one of them may be what creates tables.
	 */
	static class Fences implements BeanPostProcessor, SmartInitializingSingleton {

		private static final Log logger = LogFactory.getLog(Fences.class);

		private final ObjectProvider<InterlockProperties> interlock;

		private final ObjectProvider<InterlockProperties.Transactions> transactions;

		private final ObjectProvider<InterlockProperties.Locks> locks;

		private final Environment environment;

		private final List<Fenced> fences = new ArrayList<>();

		private volatile boolean started;

		Fences(ObjectProvider<InterlockProperties> interlock,
				ObjectProvider<InterlockProperties.Transactions> transactions,
				ObjectProvider<InterlockProperties.Locks> locks, Environment environment) {
			this.interlock = interlock;
			this.transactions = transactions;
			this.locks = locks;
			this.environment = environment;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (bean instanceof PlatformTransactionManager) {
				Object target = AopProxyUtils.getSingletonTarget(bean);
				fence((target != null) ? target : bean, beanName);
			}
			return bean;
		}

		private void fence(Object bean, String beanName) {
			if (!(bean instanceof AbstractPlatformTransactionManager manager)) {
				logger.warn(("Transactions of '%s' are fenced only if it passes them on to another manager: "
						+ "its type %s has no DataSource")
					.formatted(beanName, bean.getClass().getName()));
				return;
			}
			DataSource dataSource = dataSource(manager);
			if (dataSource != null) {
				TransactionFence fence = new TransactionFence(manager, dataSource, settings());
				manager.addListener(fence);
				add(new Fenced(beanName, dataSource, fence));
			}
			else if (mayHaveConnections(manager)) {
				throw new IllegalStateException(("Transactions of '%s' cannot be fenced, because it has no DataSource "
						+ "whose connection runs them. Set its DataSource, or interlock.transactions.fence to false")
					.formatted(beanName));
			}
		}

		/** A lazy manager comes when the application has started. */
		private void add(Fenced fenced) {
			if (this.started) {
				fenced.fence().prepareOnFirstUse(() -> prepare(fenced));
			}
			else {
				this.fences.add(fenced);
			}
		}

		/** Managers of JPA have one too, if their dialect knows the connection. */
		private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
			if (manager instanceof ResourceTransactionManager resource
					&& resource.getResourceFactory() instanceof DataSource dataSource) {
				return dataSource;
			}
			PropertyDescriptor property = BeanUtils.getPropertyDescriptor(manager.getClass(), "dataSource");
			return (property != null && property.getReadMethod() != null
					&& ReflectionUtils.invokeMethod(property.getReadMethod(), manager) instanceof DataSource dataSource)
							? dataSource : null;
		}

		/** Not the managers of messages, and of databases that know no SQL. */
		private static boolean mayHaveConnections(AbstractPlatformTransactionManager manager) {
			return !(manager instanceof ResourceTransactionManager resource)
					|| ClassUtils.getAllInterfacesAsSet(resource.getResourceFactory())
						.stream()
						.anyMatch((type) -> type.getName().equals("jakarta.persistence.EntityManagerFactory"));
		}

		private FenceSettings settings() {
			InterlockProperties properties = this.interlock.getObject();
			return new FenceSettings(this::isFenced, scope(properties), properties.defaultWaitTime().duration());
		}

		private boolean isFenced(LockId id) {
			InterlockProperties.Lock lock = this.locks.getObject().get(id.name());
			return (lock != null && lock.fence() != null) ? lock.fence() : this.transactions.getObject().fence();
		}

		private String scope(InterlockProperties properties) {
			String store = StoreChoice.of(this.environment, getClass().getClassLoader()).provider();
			return ((store != null) ? store : "") + "/" + properties.namespace();
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.started = true;
			this.fences.forEach(this::prepareNow);
		}

		private void prepareNow(Fenced fenced) {
			try {
				if (!prepare(fenced)) {
					fenced.fence().prepareOnFirstUse(() -> prepare(fenced));
				}
			}
			catch (DataAccessException ex) {
				logger.warn(("The fence table of '%s' was not checked, because its database does not answer: %s. "
						+ "It will be, before the first transaction")
					.formatted(fenced.manager(), ex.getMostSpecificCause().getMessage()));
				fenced.fence().prepareOnFirstUse(() -> prepare(fenced));
			}
		}

		/** Return whether it is done: not yet on a read-only connection. */
		private boolean prepare(Fenced fenced) {
			if (isToBeCreated(fenced.dataSource())) {
				createTable(fenced);
			}
			boolean checked = fenced.fence().check();
			if (checked) {
				fenced.fence().cleanDaily();
			}
			return checked;
		}

		/** A table that is there may be used by a user who may not create any. */
		private void createTable(Fenced fenced) {
			try {
				fenced.fence().createTable();
			}
			catch (DataAccessException ex) {
				logger.debug("The fence table of '%s' was not created".formatted(fenced.manager()), ex);
			}
		}

		private boolean isToBeCreated(DataSource dataSource) {
			return switch (this.transactions.getObject().initializeSchema()) {
				case ALWAYS -> true;
				case NEVER -> false;
				case EMBEDDED -> ClassUtils.isPresent("org.springframework.boot.jdbc.EmbeddedDatabaseConnection", null)
						&& EmbeddedDatabaseConnection.isEmbedded(dataSource);
			};
		}

		private record Fenced(String manager, DataSource dataSource, TransactionFence fence) {

		}

	}

	/** The managers that do not give their data source as the factory of resources. */
	static class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			for (String manager : List.of("org.springframework.orm.jpa.JpaTransactionManager",
					"org.springframework.orm.jpa.hibernate.HibernateTransactionManager")) {
				hints.reflection()
					.registerTypeIfPresent(classLoader, manager,
							(type) -> type.withMethod("getDataSource", List.of(), ExecutableMode.INVOKE));
			}
		}

	}

	/** Whether transactions under any lock are fenced. */
	static class OnFence extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Binder binder = Binder.get(context.getEnvironment());
			boolean fence = binder.bind("interlock.transactions.fence", Boolean.class).orElse(false)
					|| binder.bind("interlock.locks", InterlockProperties.Locks.class)
						.map((locks) -> locks.values().stream().anyMatch((lock) -> Boolean.TRUE.equals(lock.fence())))
						.orElse(false);
			return new ConditionOutcome(fence, ConditionMessage.forCondition("Fence")
				.because(fence ? "transactions are fenced" : "no transactions are fenced"));
		}

	}

}
