package io.interlock.autoconfigure.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import io.interlock.autoconfigure.store.NoStoreFailureAnalyzer.NoStoreException;
import io.interlock.queue.QueueingLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Where locks come from: what {@code interlock.provider} names, otherwise the only store
 * on the class path.
 *
 * @since 0.1.0
 */
public final class StoreChoice {

	private static final String PROPERTY = "interlock.provider";

	private final @Nullable String configured;

	private final LockStores stores;

	private StoreChoice(@Nullable String configured, LockStores stores) {
		this.configured = configured;
		this.stores = stores;
	}

	/**
	 * Return the choice of an application with these properties and classes.
	 * @throws IllegalStateException if the property names no store, with what to write
	 */
	public static StoreChoice of(Environment environment, @Nullable ClassLoader classLoader) {
		LockStores stores = LockStores.of(classLoader);
		return new StoreChoice(stores.bind(environment, PROPERTY, BindHandler.DEFAULT), stores);
	}

	/**
	 * Return the name of the chosen store, {@link LockStores#MEMORY},
	 * {@link LockStores#NONE}, or {@code null} if nothing is chosen.
	 */
	public @Nullable String provider() {
		List<LockStoreFactory<?>> present = this.stores.present();
		return (this.configured != null || present.size() != 1) ? this.configured : present.get(0).name();
	}

	/** Return the chosen store, if it is present. */
	public Optional<LockStoreFactory<?>> store() {
		return this.stores.find(provider());
	}

	/** Return whether a parent of the context has locks, which its children share. */
	public static boolean isMadeByParent(@Nullable BeanFactory beanFactory) {
		return beanFactory instanceof HierarchicalBeanFactory child
				&& child.getParentBeanFactory() instanceof ListableBeanFactory parent && BeanFactoryUtils
					.beanNamesForTypeIncludingAncestors(parent, QueueingLockProvider.class, true, false).length > 0;
	}

	/** Return why the application must not start, or {@code null} if it may. */
	public @Nullable RuntimeException failure() {
		Map<String, String> absent = this.stores.absent();
		if (this.configured != null) {
			String starter = absent.get(this.configured);
			return (starter == null) ? null
					: new NoStoreException(
							"%s is %s, but the class path lacks its module or its client.".formatted(PROPERTY,
									this.configured),
							"Add the dependency %s, or set %s to a store that is on the class path.".formatted(starter,
									PROPERTY));
		}
		if (this.stores.present().isEmpty()) {
			return new NoStoreException("There is no lock store on the class path.",
					"Add one of the dependencies %s. Set %s=memory for locks within this JVM only."
						.formatted(String.join(", ", absent.values()), PROPERTY));
		}
		if (this.stores.present().size() > 1) {
			return new NoStoreException(
					"There are several lock stores on the class path, and %s does not select one: %s."
						.formatted(PROPERTY, present()),
					"Set %s to one of %s, or remove the starters of the others.".formatted(PROPERTY, present()));
		}
		return null;
	}

	/** Return the failure of a start without a store, with what to do. */
	public static RuntimeException noStore(String problem, String remedy) {
		return new NoStoreException(problem, remedy);
	}

	private String present() {
		return this.stores.present().stream().map(LockStoreFactory::name).collect(Collectors.joining(", "));
	}

	static final class Chosen extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String store = metadata.getAnnotations().get(ConditionalOnStore.class).getString("value");
			if (isMadeByParent(context.getBeanFactory())) {
				return ConditionOutcome.noMatch(ConditionMessage.forCondition(ConditionalOnStore.class, store)
					.because("locks are those of the parent context"));
			}
			StoreChoice choice = of(context.getEnvironment(), context.getClassLoader());
			return new ConditionOutcome(store.equals(choice.provider()),
					ConditionMessage.forCondition(ConditionalOnStore.class, store)
						.because("%s is %s, and the class path has %s".formatted(PROPERTY, choice.configured,
								choice.present())));
		}

	}

}
