package io.interlock.autoconfigure;

import java.util.Locale;

import io.interlock.provider.LockProvider;
import io.interlock.transaction.CommitVerification;
import io.interlock.transaction.LockVerifyingTransactionListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.interceptor.SimpleTraceInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link LockTransactionAutoConfiguration}.
 */
class LockTransactionAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockTransactionAutoConfiguration.class))
		.withBean(LockProvider.class, () -> mock(LockProvider.class));

	@Test
	void addsTheListenerOnceToTheManagerOfBoot() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class,
					TransactionManagerCustomizationAutoConfiguration.class))
			.run((context) -> assertThat(
					context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.containsExactly(context.getBean(LockVerifyingTransactionListener.class)));
	}

	@Test
	void addsTheListenerToEveryManagerOfTheApplication() {
		this.contextRunner.withUserConfiguration(TwoManagersConfiguration.class).run((context) -> {
			LockVerifyingTransactionListener listener = context.getBean(LockVerifyingTransactionListener.class);
			assertThat(context.getBeansOfType(ConfigurableTransactionManager.class).values()).hasSize(2)
				.allSatisfy(
						(manager) -> assertThat(manager.getTransactionExecutionListeners()).containsExactly(listener));
		});
	}

	@Test
	void keepsTheListenersOfTheApplication() {
		TransactionExecutionListener own = mock(TransactionExecutionListener.class);
		this.contextRunner.withBean(JdbcTransactionManager.class, () -> {
			JdbcTransactionManager manager = new JdbcTransactionManager();
			manager.setDataSource(mock());
			manager.addListener(own);
			return manager;
		})
			.run((context) -> assertThat(
					context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.containsExactly(own, context.getBean(LockVerifyingTransactionListener.class)));
	}

	@Test
	void addsTheListenerToAManagerOfAFactoryBean() {
		this.contextRunner.withUserConfiguration(FactoryBeanConfiguration.class)
			.run((context) -> assertThat(
					context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.containsExactly(context.getBean(LockVerifyingTransactionListener.class)));
	}

	@Test
	void addsTheListenerThroughAProxy() {
		this.contextRunner.withUserConfiguration(ProxyConfiguration.class).run((context) -> {
			ConfigurableTransactionManager manager = context.getBean(ConfigurableTransactionManager.class);
			assertThat(AopUtils.isAopProxy(manager)).isTrue();
			assertThat(manager.getTransactionExecutionListeners())
				.containsExactly(context.getBean(LockVerifyingTransactionListener.class));
		});
	}

	@Test
	void leavesManagersAloneThatAreNotImperative() {
		ConfigurableTransactionManager reactive = mock(ConfigurableTransactionManager.class);
		this.contextRunner.withBean(ConfigurableTransactionManager.class, () -> reactive).run((context) -> {
			assertThat(context).hasSingleBean(ConfigurableTransactionManager.class);
			then(reactive).should(never()).addListener(any());
		});
	}

	@Test
	void backsOffWhenTheApplicationHasAListenerOfItsOwn() {
		this.contextRunner.withUserConfiguration(TwoManagersConfiguration.class, OwnListenerConfiguration.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(LockVerifyingTransactionListener.class).hasBean("ownListener");
				assertThat(context.getBean("eager", ConfigurableTransactionManager.class)
					.getTransactionExecutionListeners())
					.containsExactly(context.getBean("ownListener", LockVerifyingTransactionListener.class));
			});
	}

	@Test
	void backsOffWhenLockingIsDisabled() {
		this.contextRunner.withPropertyValues("interlock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockVerifyingTransactionListener.class)
				.doesNotHaveBean("interlockLockTransactionListenerPostProcessor"));
	}

	@Test
	void backsOffWithoutTransactions() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("interlockLockVerifyingTransactionListener")
				.doesNotHaveBean("interlockLockTransactionListenerPostProcessor"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "local", "quorum" })
	void bindsTheWayToVerify(String value) {
		this.contextRunner.withPropertyValues("interlock.transactions.verify-before-commit=" + value)
			.run((context) -> assertThat(context.getBean(InterlockProperties.Transactions.class).verifyBeforeCommit())
				.hasToString(value.toUpperCase(Locale.ROOT)));
	}

	@Test
	void verifiesLocallyByDefault() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean(InterlockProperties.Transactions.class).verifyBeforeCommit())
				.hasToString("LOCAL"));
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoManagersConfiguration {

		@Bean
		JdbcTransactionManager eager() {
			return new JdbcTransactionManager(mock());
		}

		@Bean
		@Lazy
		JdbcTransactionManager lazy() {
			return new JdbcTransactionManager(mock());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnListenerConfiguration {

		@Bean
		LockVerifyingTransactionListener ownListener() {
			return new LockVerifyingTransactionListener(CommitVerification.NONE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryBeanConfiguration {

		@Bean
		FactoryBean<JdbcTransactionManager> manager() {
			return new FactoryBean<>() {

				@Override
				public JdbcTransactionManager getObject() {
					return new JdbcTransactionManager(mock());
				}

				@Override
				public Class<?> getObjectType() {
					return JdbcTransactionManager.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyConfiguration {

		@Bean
		static BeanNameAutoProxyCreator autoProxyCreator() {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("manager");
			creator.setInterceptorNames("interceptor");
			return creator;
		}

		@Bean
		static SimpleTraceInterceptor interceptor() {
			return new SimpleTraceInterceptor();
		}

		@Bean
		JdbcTransactionManager manager() {
			return new JdbcTransactionManager(mock());
		}

	}

}
