package io.interlock.autoconfigure;

import io.interlock.template.LockOperations;
import io.interlock.transaction.LockVerifyingTransactionListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for transactions under a lock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(LockOperations.class)
@EnableConfigurationProperties(InterlockProperties.class)
public final class LockTransactionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockVerifyingTransactionListener lockVerifyingTransactionListener(InterlockProperties properties) {
		return new LockVerifyingTransactionListener(properties.transactions().verifyBeforeCommit());
	}

	@Bean
	static TransactionListenerPostProcessor lockTransactionListenerPostProcessor(
			ObjectProvider<LockVerifyingTransactionListener> listeners) {
		return new TransactionListenerPostProcessor(listeners);
	}

}
