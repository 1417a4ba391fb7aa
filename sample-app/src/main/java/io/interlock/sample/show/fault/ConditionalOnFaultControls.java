package io.interlock.sample.show.fault;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.autoconfigure.store.Provider;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if visitors may break things, and the store of the locks lets an operator take
 * a lock away: each but memory.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnBooleanProperty("sample.controls")
@Conditional(ConditionalOnFaultControls.OnStoreWithOperators.class)
@interface ConditionalOnFaultControls {

	/** Matches if operators can free locks in the store. */
	class OnStoreWithOperators extends AnyNestedCondition {

		OnStoreWithOperators() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnStore(Provider.ZOOKEEPER)
		static class OnZooKeeper {

		}

		@ConditionalOnStore(Provider.JDBC)
		static class OnDatabase {

		}

		@ConditionalOnStore(Provider.REDIS)
		static class OnRedis {

		}

	}

}
