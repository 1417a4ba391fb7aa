package io.interlock.autoconfigure;

import io.interlock.transaction.LockVerifyingTransactionListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Adds the listener to every transaction manager that lacks it: Spring Boot adds listener
 * beans only to a manager that it made itself. Works after initialization, because that
 * is when the product of a factory bean comes by. The commit of a reactive manager runs
 * on a thread that holds no locks.
 */
class TransactionListenerPostProcessor implements BeanPostProcessor {

	private final ObjectProvider<LockVerifyingTransactionListener> listeners;

	TransactionListenerPostProcessor(ObjectProvider<LockVerifyingTransactionListener> listeners) {
		this.listeners = listeners;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager && bean instanceof PlatformTransactionManager) {
			LockVerifyingTransactionListener listener = this.listeners.getObject();
			if (!manager.getTransactionExecutionListeners().contains(listener)) {
				manager.addListener(listener);
			}
		}
		return bean;
	}

}
