package io.interlock.autoconfigure;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

import io.interlock.provider.LockProvider;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.util.ClassUtils;

/**
 * The executors and schedulers of a context that end their work when they are destroyed,
 * after all lifecycle phases: pools that wait for their tasks, Quartz, executors on
 * virtual threads, executor services.
 */
class LateWork {

	private static final String QUARTZ = "org.springframework.scheduling.quartz.SchedulerFactoryBean";

	private final ConfigurableListableBeanFactory beanFactory;

	LateWork(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Have all of this work end before a bean is destroyed, and that bean before the
	 * providers of locks.
	 * @return whether there is any
	 */
	boolean endsBefore(String beanName) {
		List<String> late = Stream.concat(singletons(Executor.class).filter(this::isLate), schedulersOfQuartz())
			.toList();
		late.forEach((name) -> this.beanFactory.registerDependentBean(beanName, name));
		singletons(LockProvider.class).forEach((name) -> this.beanFactory.registerDependentBean(name, beanName));
		return !late.isEmpty();
	}

	/** A pool that has stopped in its lifecycle phase has no task left. */
	private boolean isLate(String name) {
		Object bean = this.beanFactory.getSingleton(name);
		if (bean instanceof ExecutorConfigurationSupport pool) {
			return pool.isRunning();
		}
		return !(bean instanceof ExecutorService service) || !service.isTerminated();
	}

	private Stream<String> schedulersOfQuartz() {
		ClassLoader classLoader = this.beanFactory.getBeanClassLoader();
		return ClassUtils.isPresent(QUARTZ, classLoader) ? singletons(ClassUtils.resolveClassName(QUARTZ, classLoader))
				: Stream.empty();
	}

	private Stream<String> singletons(Class<?> type) {
		return Stream.of(this.beanFactory.getBeanNamesForType(type, false, false))
			.map(BeanFactoryUtils::transformedBeanName)
			.filter(this.beanFactory::containsSingleton);
	}

}
