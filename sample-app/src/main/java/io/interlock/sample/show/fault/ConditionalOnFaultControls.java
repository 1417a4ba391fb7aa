package io.interlock.sample.show.fault;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.interlock.autoconfigure.store.ConditionalOnStore;

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

		@ConditionalOnStore("zookeeper")
		static class OnZooKeeper {

		}

		@ConditionalOnStore("jdbc")
		static class OnDatabase {

		}

		@ConditionalOnStore("redis")
		static class OnRedis {

		}

	}

}
