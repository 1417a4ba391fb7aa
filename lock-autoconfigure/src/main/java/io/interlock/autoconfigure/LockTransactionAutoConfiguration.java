package io.interlock.autoconfigure;

import io.interlock.template.LockOperations;
import io.interlock.transaction.LockVerifyingTransactionListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Auto-configuration for transactions under a lock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnClass(ConfigurableTransactionManager.class)
@ConditionalOnBean(LockOperations.class)
@EnableConfigurationProperties(InterlockProperties.Transactions.class)
@Import(FencedTransactionsConfiguration.class)
public final class LockTransactionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockVerifyingTransactionListener interlockLockVerifyingTransactionListener(
			InterlockProperties.Transactions properties) {
		return new LockVerifyingTransactionListener(properties.verifyBeforeCommit());
	}

	/** Not for reactive managers: a thread that holds no locks runs their commits. */
	@Bean
	static BeanPostProcessor interlockLockTransactionListenerPostProcessor(
			ObjectProvider<LockVerifyingTransactionListener> listeners) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (bean instanceof ConfigurableTransactionManager manager
						&& bean instanceof PlatformTransactionManager) {
					LockVerifyingTransactionListener listener = listeners.getObject();
					if (!manager.getTransactionExecutionListeners().contains(listener)) {
						manager.addListener(listener);
					}
				}
				return bean;
			}

		};
	}

}
