package io.interlock.autoconfigure.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.interlock.queue.QueueingLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Where locks come from: what {@code interlock.provider} names, otherwise the only store
 * on the class path.
 *
 * @since 0.1.0
 */
public final class StoreChoice {

	private static final String PROPERTY = "interlock.provider";

	private final @Nullable Provider configured;

	private final List<Store> present;

	private StoreChoice(@Nullable Provider configured, List<Store> present) {
		this.configured = configured;
		this.present = present;
	}

	/** Return the choice of an application with these properties and classes. */
	public static StoreChoice of(Environment environment, @Nullable ClassLoader classLoader) {
		return new StoreChoice(Binder.get(environment).bind(PROPERTY, Provider.class).orElse(null),
				Arrays.stream(Store.values()).filter((store) -> store.isPresent(classLoader)).toList());
	}

	/** Return the starters of the stores that the class path lacks, by their labels. */
	public static Map<String, String> absent(@Nullable ClassLoader classLoader) {
		return Arrays.stream(Store.values())
			.filter((store) -> !store.isPresent(classLoader))
			.collect(Collectors.toMap(Store::label, (store) -> store.starter));
	}

	/** Return the chosen provider, or {@code null} if there is none. */
	public @Nullable Provider provider() {
		return (this.configured != null || this.present.size() != 1) ? this.configured : this.present.get(0).provider();
	}

	/** Return whether a parent of the context has locks, which its children share. */
	public static boolean isMadeByParent(@Nullable BeanFactory beanFactory) {
		return beanFactory instanceof HierarchicalBeanFactory child
				&& child.getParentBeanFactory() instanceof ListableBeanFactory parent && BeanFactoryUtils
					.beanNamesForTypeIncludingAncestors(parent, QueueingLockProvider.class, true, false).length > 0;
	}

	/** Return why the application must not start, or {@code null} if it may. */
	public @Nullable RuntimeException failure() {
		if (this.configured != null) {
			return Arrays.stream(Store.values())
				.filter((store) -> store.provider() == this.configured && !this.present.contains(store))
				.map((store) -> new NoStoreException(
						"%s is %s, and the class path lacks its module or its client.".formatted(PROPERTY,
								store.label()),
						"Add the dependency %s, or set %s to a store that is there.".formatted(store.starter,
								PROPERTY)))
				.findFirst()
				.orElse(null);
		}
		if (this.present.isEmpty()) {
			return new NoStoreException("The class path has no store for locks.",
					"Add one of the dependencies %s. Set %s=memory for locks within this JVM only."
						.formatted(joined(List.of(Store.values()), (store) -> store.starter), PROPERTY));
		}
		if (this.present.size() > 1) {
			return new NoStoreException(
					"The class path has several stores for locks, and %s does not say which one to use: %s."
						.formatted(PROPERTY, labels()),
					"Set %s to one of %s, or remove the starters of the others.".formatted(PROPERTY, labels()));
		}
		return null;
	}

	/** Return the failure of a start without a store, with what to do. */
	public static RuntimeException noStore(String problem, String remedy) {
		return new NoStoreException(problem, remedy);
	}

	private String labels() {
		return joined(this.present, Store::label);
	}

	private static String joined(List<Store> stores, Function<Store, String> text) {
		return stores.stream().map(text).collect(Collectors.joining(", "));
	}

	/** The modules and clients of Interlock's stores. */
	private enum Store {

		ZOOKEEPER("io.interlock:lock-starter", "io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider",
				"org.apache.curator.framework.CuratorFramework"),

		JDBC("io.interlock:lock-jdbc-starter", "io.interlock.jdbc.JdbcLeaseStore"),

		REDIS("io.interlock:lock-redis-starter", "io.interlock.redis.RedisLeaseStore");

		private final String starter;

		private final List<String> types;

		Store(String starter, String... types) {
			this.starter = starter;
			this.types = List.of(types);
		}

		Provider provider() {
			return Provider.valueOf(name());
		}

		String label() {
			return name().toLowerCase(Locale.ROOT);
		}

		boolean isPresent(@Nullable ClassLoader classLoader) {
			return this.types.stream().allMatch((type) -> ClassUtils.isPresent(type, classLoader));
		}

	}

	static final class Chosen extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Provider store = metadata.getAnnotations().get(ConditionalOnStore.class).getEnum("value", Provider.class);
			if (isMadeByParent(context.getBeanFactory())) {
				return ConditionOutcome.noMatch(ConditionMessage.forCondition(ConditionalOnStore.class, store)
					.because("locks are those of the parent context"));
			}
			StoreChoice choice = of(context.getEnvironment(), context.getClassLoader());
			return new ConditionOutcome(choice.provider() == store, ConditionMessage
				.forCondition(ConditionalOnStore.class, store)
				.because(
						"%s is %s, and the class path has %s".formatted(PROPERTY, choice.configured, choice.labels())));
		}

	}

	/** Thrown on start-up if locks have no store, or several that could be meant. */
	static final class NoStoreException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		final String problem;

		final String remedy;

		NoStoreException(String problem, String remedy) {
			super(problem + " " + remedy);
			this.problem = problem;
			this.remedy = remedy;
		}

	}

	static class Analyzer extends AbstractFailureAnalyzer<NoStoreException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, NoStoreException cause) {
			return new FailureAnalysis(cause.problem, cause.remedy, cause);
		}

	}

}
