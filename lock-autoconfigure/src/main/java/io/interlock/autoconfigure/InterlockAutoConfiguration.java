package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockListener;
import io.interlock.admin.SharedNames;
import io.interlock.autoconfigure.NamedOperatorsConfiguration.NamedOperators;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.event.EventPublishingLockListener;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.logging.LoggingLockListener;
import io.interlock.logging.MdcLockListener;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for distributed locks. In a hierarchy of contexts they exist once,
 * in the outermost context with this auto-configuration: children use those of their
 * parent, and neither stop nor change them.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@Conditional(InterlockAutoConfiguration.WithoutLocksOfParent.class)
@EnableConfigurationProperties({ InterlockProperties.class, InterlockProperties.Locks.class,
		InterlockProperties.Queue.class, InterlockProperties.Async.class, InterlockProperties.Annotations.class,
		InterlockProperties.Logging.class, InterlockProperties.Observations.class,
		InterlockProperties.Transactions.class, InterlockProperties.Admin.class, InterlockProperties.Leader.class })
@Import({ DefaultProviderConfiguration.class, LeaseLockConfiguration.class, InMemoryLockConfiguration.class,
		ZooKeeperOnlyProperties.class, NamedProvidersConfiguration.class, UnknownProperties.class })
@ImportRuntimeHints(StoreProperties.Hints.class)
public final class InterlockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(InterlockAutoConfiguration.class);

	/** What the first tries may take where the start has not waited for the store. */
	private static final Duration FIRST_CONNECTION = Duration.ofSeconds(5);

	private static final QueueSettings NO_QUEUE = new QueueSettings(false, Map.of(), Duration.ZERO, 0, 1);

	InterlockAutoConfiguration(InterlockProperties properties, InterlockProperties.Annotations annotations,
			ConfigurableListableBeanFactory beanFactory, Environment environment) {
		boolean none = LockStores.NONE.equals(StoreChoice.of(environment, beanFactory.getBeanClassLoader()).provider());
		List<String> providers = Stream.of(beanFactory.getBeanNamesForType(LockProvider.class, true, false))
			.filter((name) -> !name.equals("interlockInMemoryLockProvider")
					&& !(beanFactory.getMergedBeanDefinition(name) instanceof AbstractBeanDefinition definition
							&& !definition.isDefaultCandidate()))
			.toList();
		if (none && properties.enabled() && !providers.isEmpty()) {
			logger
				.warn(("interlock.provider=none has no effect, because the LockProvider beans %s take precedence. Set "
						+ "interlock.enabled=false to switch locks off")
					.formatted(providers));
			none = false;
		}
		List<String> switches = Stream
			.of(properties.enabled() ? "" : "interlock.enabled=false", none ? "interlock.provider=none" : "",
					annotations.enabled() ? "" : "interlock.annotations.enabled=false")
			.filter(StringUtils::hasText)
			.toList();
		if (none || !properties.enabled()) {
			logger.warn(("%s: locks are granted at once and exclude nothing. Tokens of different providers cannot be "
					+ "compared: after a change of the provider, fenced rows may refuse every write until "
					+ "their column is cleared")
				.formatted(String.join(", ", switches)));
		}
		else if (!switches.isEmpty()) {
			logger.warn("%s: annotated methods run without their locks".formatted(String.join(", ", switches)));
		}
	}

	@Bean
	static ConfigurationPropertiesBindHandlerAdvisor interlockDurations() {
		return DurationProperties::requireUnit;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	HeldLocks interlockHeldLocks() {
		return new HeldLocks();
	}

	/** Not an autowire candidate, because it decorates the {@link LockProvider}. */
	@Bean(defaultCandidate = false)
	@Fallback
	@ConditionalOnBean(LockProvider.class)
	QueueingLockProvider interlockQueueingLockProvider(LockProvider provider, InterlockProperties properties,
			InterlockProperties.Queue queue, InterlockProperties.Locks locks, ListableBeanFactory beanFactory) {
		if (!properties.enabled()) {
			return new QueueingLockProvider(InMemoryLockProvider.excludingNothing(), NO_QUEUE);
		}
		Map<String, LockProvider> named = Stream.of(beanFactory.getBeanNamesForType(LockProvider.class, false, false))
			.filter((name) -> !name.equals("interlockQueueingLockProvider"))
			.collect(Collectors.toMap(Function.identity(), (name) -> beanFactory.getBean(name, LockProvider.class)));
		named.values().remove(provider);
		if (provider instanceof InMemoryLockProvider memory && !memory.isExcluding()) {
			return new QueueingLockProvider(memory, named, NO_QUEUE);
		}
		QueueingLockProvider queueing = new QueueingLockProvider(provider, named, queueSettings(queue, locks));
		// Other stores log it with their address.
		if (!(provider instanceof LeaseLockProvider) && !(provider instanceof InMemoryLockProvider)) {
			logger.info("Locks come from %s. %s".formatted(
					StringUtils.delete(provider.getClass().getSimpleName(), "LockProvider"), queueing.capabilities()));
		}
		return queueing;
	}

	@Bean
	@ConditionalOnMissingBean(LockOperations.class)
	@ConditionalOnBean(LockProvider.class)
	LockTemplate interlockLockTemplate(@Qualifier("interlockQueueingLockProvider") LockProvider provider,
			InterlockProperties properties, InterlockProperties.Locks locks, InterlockProperties.Async async,
			HeldLocks heldLocks, ObjectProvider<LockListener> listeners, ListableBeanFactory beanFactory) {
		return new LockTemplate(provider, lockSettings(properties, locks), heldLocks,
				listeners.orderedStream().toList(), bodies(async.executor(), beanFactory));
	}

	private static TaskDecorator bodies(@Nullable String executor, ListableBeanFactory beanFactory) {
		Object bean = (executor != null && beanFactory.containsBean(executor)) ? beanFactory.getBean(executor) : null;
		if (bean instanceof TaskDecorator decorator) {
			return decorator;
		}
		if (executor == null || bean instanceof Executor) {
			return LockTemplate.bodiesOn((Executor) bean);
		}
		throw new InvalidConfigurationPropertyValueException("interlock.async.executor", executor,
				"There is no TaskDecorator or Executor bean with this name. Use the name of an existing bean.");
	}

	@Bean
	@ConditionalOnBean(LockProvider.class)
	LockLifecycle interlockLockLifecycle(HeldLocks heldLocks, InterlockProperties properties,
			ObjectProvider<LifecycleProperties> lifecycle, ConfigurableApplicationContext context) {
		Duration timeout = properties.shutdownTimeout();
		return new LockLifecycle(heldLocks,
				(timeout != null) ? timeout
						: lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase(),
				properties.minHoldAtShutdown(), new LateWork(context.getBeanFactory()), context);
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	LeaseStartupCheck interlockLeaseStartupCheck(LeaseLockProvider provider, InterlockProperties properties) {
		return new LeaseStartupCheck(provider, properties.startupTimeout());
	}

	/** Locks in memory have no other application. */
	@Bean
	@ConditionalOnBean(LockProvider.class)
	@ConditionalOnMissingBean(InMemoryLockProvider.class)
	@ConditionalOnProperty("spring.application.name")
	SharedNames interlockSharedNames(
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> queue, HeldLocks heldLocks,
			ApplicationContext context, @Value("${spring.application.name}") String application) {
		return new SharedNames(new NamedOperators(queue::getObject, heldLocks, context)::inspector, application);
	}

	@Bean
	@ConditionalOnMissingBean
	EventPublishingLockListener interlockEventPublishingLockListener(ApplicationEventPublisher publisher) {
		return new EventPublishingLockListener(publisher);
	}

	@Bean
	@ConditionalOnMissingBean
	LoggingLockListener interlockLoggingLockListener() {
		return new LoggingLockListener();
	}

	/** Comes before other listeners, so that their log lines have the context too. */
	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(name = "interlock.logging.mdc", matchIfMissing = true)
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MdcLockListener interlockMdcLockListener() {
		return new MdcLockListener();
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private static LockSettings lockSettings(InterlockProperties properties, InterlockProperties.Locks locks) {
		return new LockSettings(properties.defaultWaitTime().duration(),
				overrides(locks, (lock) -> (lock.waitTime() != null) ? lock.waitTime().duration() : null),
				properties.tryTimeout(), properties.releaseTimeout(), properties.maxKeys(), properties.leakDetection(),
				properties.blockingOnEventLoop(),
				properties.startupTimeout().isZero() ? FIRST_CONNECTION : Duration.ZERO);
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private static QueueSettings queueSettings(InterlockProperties.Queue queue, InterlockProperties.Locks locks) {
		return new QueueSettings(queue.enabled(), overrides(locks, InterlockProperties.Lock::queueEnabled),
				queue.maxTenure(), Integer.MAX_VALUE, Objects.requireNonNullElse(queue.maxWaiting(), Integer.MAX_VALUE),
				queue.linger(), overrides(locks, InterlockProperties.Lock::linger));
	}

	private static <T> Map<String, T> overrides(InterlockProperties.Locks locks,
			Function<InterlockProperties.Lock, @Nullable T> override) {
		Map<String, T> overrides = new HashMap<>();
		locks.forEach((name, lock) -> {
			T value = override.apply(lock);
			if (value != null) {
				overrides.put(name, value);
			}
		});
		return overrides;
	}

	static class WithoutLocksOfParent implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !StoreChoice.isMadeByParent(context.getBeanFactory());
		}

	}

}
