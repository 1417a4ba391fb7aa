package io.interlock.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.fencing.StaleLockException;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockOperations;
import io.interlock.transaction.TransactionFence;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.aop.interceptor.SimpleTraceInterceptor;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link FencedTransactionsConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class FencedTransactionsConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockTransactionAutoConfiguration.class,
						DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory", "spring.datasource.generate-unique-name=true");

	private static void assertRefusesStaleHolder(TransactionTemplate transaction, LockOperations locks,
			InMemoryLockProvider provider, String name) {
		LockRequest request = LockRequest.exclusive(name);
		try (LockHandle lock = locks.acquire(request)) {
			provider.changeState(request.id(), LockState.LOST);
			CompletableFuture.runAsync(() -> locks.execute(request, (later) -> transaction.execute((status) -> null)))
				.join();
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				}));
			assertThat(lock.isLost()).isTrue();
		}
	}

	@Test
	void doesNothingUnlessItIsAskedFor() {
		this.contextRunner.run((context) -> {
			assertThat(context).doesNotHaveBean(FencedTransactionsConfiguration.class);
			assertThat(context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
				.noneMatch(TransactionFence.class::isInstance);
		});
	}

	@Test
	void fencesAllLocksAndCreatesTheTableInAnEmbeddedDatabase() {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.run((context) -> assertRefusesStaleHolder(
					new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
					context.getBean(LockOperations.class), context.getBean(InMemoryLockProvider.class), "stock"));
	}

	/** The contexts of tests, which are kept for the next test that asks for them. */
	@Test
	void contextsWithLocksInMemoryTakeTurnsWithOneDatabase() {
		ApplicationContextRunner runner = this.contextRunner.withPropertyValues("interlock.transactions.fence=true",
				"spring.datasource.generate-unique-name=false", "spring.datasource.url=jdbc:h2:mem:turns");
		runner.run((first) -> runner.run((second) -> List.of(first, second, first, second).forEach((context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			context.getBean(LockOperations.class)
				.execute(LockRequest.exclusive("stock"), (lock) -> transaction.execute((status) -> null));
		})));
	}

	@Test
	void fencesTheLocksThatHaveTheSwitch() {
		this.contextRunner.withPropertyValues("interlock.locks.stock.fence=true", "interlock.locks.prices.fence=false")
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				assertRefusesStaleHolder(transaction, locks, context.getBean(InMemoryLockProvider.class), "stock");
				locks.execute(LockRequest.exclusive("other"), (lock) -> transaction.execute((status) -> null));
				assertThat(JdbcClient.create(context.getBean(DataSource.class))
					.sql("SELECT COUNT(*) FROM interlock_fence")
					.query(Integer.class)
					.single()).isOne();
			});
	}

	@Test
	void warnsOnceOfALockThatIsToBeFencedAndHasNoTransaction(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.locks.stock.fence=true").run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			locks.execute(LockRequest.exclusive("stock"), (lock) -> transaction.execute((status) -> null));
			locks.execute(LockRequest.exclusive("other"), (lock) -> null);
			assertThat(output.getOut()).doesNotContain("should be fenced");
			locks.execute(LockRequest.exclusive("stock"), (lock) -> null);
			locks.execute(LockRequest.exclusive("stock"), (lock) -> null);
			assertThat(output.getOut()).containsOnlyOnce(
					"Lock 'stock' should be fenced (interlock.locks.stock.fence), but was held without a transaction");
		});
	}

	@Test
	void leavesOutALockWhoseSwitchIsOff() {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true", "interlock.locks.prices.fence=false")
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				locks.execute(LockRequest.exclusive("prices"), (lock) -> transaction.execute((status) -> null));
				assertThat(JdbcClient.create(context.getBean(DataSource.class))
					.sql("SELECT COUNT(*) FROM interlock_fence")
					.query(Integer.class)
					.single()).isZero();
			});
	}

	@Test
	void countsARefusal() {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.withConfiguration(AutoConfigurations.of(LockMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				assertRefusesStaleHolder(new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
						context.getBean(LockOperations.class), context.getBean(InMemoryLockProvider.class), "stock");
				assertThat(context.getBean(MeterRegistry.class)
					.get("interlock.transactions.refused")
					.tag("name", "stock")
					.counter()
					.count()).isOne();
			});
	}

	@Test
	void fencesTransactionsOfJpa() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.withPropertyValues("interlock.transactions.fence=true")
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.run((context) -> {
				assertThat(context).hasSingleBean(JpaTransactionManager.class);
				assertRefusesStaleHolder(new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
						context.getBean(LockOperations.class), context.getBean(InMemoryLockProvider.class), "stock");
			});
	}

	@Test
	void fencesTransactionsOfAProxiedManager() {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.withBean("trace", SimpleTraceInterceptor.class)
			.withBean(BeanNameAutoProxyCreator.class, () -> {
				BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
				creator.setBeanNames("transactionManager");
				creator.setInterceptorNames("trace");
				return creator;
			})
			.run((context) -> assertRefusesStaleHolder(
					new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
					context.getBean(LockOperations.class), context.getBean(InMemoryLockProvider.class), "stock"));
	}

	@Test
	void startFailsWithoutTheTable() {
		this.contextRunner
			.withPropertyValues("interlock.transactions.fence=true", "interlock.transactions.initialize-schema=never")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(
					"Set interlock.transactions.initialize-schema to 'always', or run: CREATE TABLE interlock_fence"));
	}

	/** H2 has no error code of its own class for that. */
	@Test
	void startFailsWithoutRightsOnTheTable() {
		this.contextRunner
			.withPropertyValues("interlock.transactions.fence=true", "spring.datasource.generate-unique-name=false",
					"spring.datasource.name=rights", "spring.datasource.username=reader",
					"spring.datasource.password=reader",
					"spring.datasource.url=jdbc:h2:mem:rights;INIT=SET MODE REGULAR",
					"interlock.transactions.initialize-schema=always")
			.withInitializer((context) -> JdbcClient
				.create(new DriverManagerDataSource("jdbc:h2:mem:rights;DB_CLOSE_DELAY=-1", "sa", ""))
				.sql("CREATE USER IF NOT EXISTS reader PASSWORD 'reader'")
				.update())
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("The user needs SELECT, INSERT and UPDATE on it"));
	}

	@Test
	void startFailsIfTheManagerOfADatabaseHasNoDataSource() {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean("jpa", JpaTransactionManager.class,
					() -> new JpaTransactionManager(mock(EntityManagerFactory.class)) {
						@Override
						public void afterPropertiesSet() {
						}
					})
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("Transactions of 'jpa' cannot be fenced, because it has no DataSource"));
	}

	@Test
	void managerOfMessagesIsLeftAlone(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean("other", MessagesTransactionManager.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).doesNotContain("'other'");
	}

	@Test
	void managerThatIsNotKnownIsWarnedOf(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.transactions.fence=true")
			.withBean("other", PlatformTransactionManager.class, () -> mock(PlatformTransactionManager.class))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).contains("Transactions of 'other' are fenced only if");
	}

	@Test
	void databaseThatDoesNotAnswerIsWarnedOf(CapturedOutput output) throws Exception {
		DataSource silent = mock(DataSource.class);
		given(silent.getConnection()).willThrow(new SQLException("Connection refused"));
		this.contextRunner
			.withPropertyValues("interlock.transactions.fence=true", "interlock.transactions.initialize-schema=never")
			.withBean("silent", JdbcTransactionManager.class,
					() -> new JdbcTransactionManager(new DelegatingDataSource(silent)))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).contains("The fence table of 'silent' was not checked")
			.contains("Connection refused");
	}

	@Test
	void tableIsCreatedWhenTheDatabaseAnswers() {
		HikariDataSource later = new HikariDataSource();
		later.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		AtomicBoolean answers = new AtomicBoolean();
		DataSource database = new DelegatingDataSource(later) {
			@Override
			public Connection getConnection() throws SQLException {
				if (!answers.get()) {
					throw new SQLTransientConnectionException("Connection refused");
				}
				return super.getConnection();
			}
		};
		this.contextRunner
			.withPropertyValues("interlock.transactions.fence=true", "interlock.transactions.initialize-schema=always")
			.withBean("later", JdbcTransactionManager.class, () -> new JdbcTransactionManager(database))
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean("later", PlatformTransactionManager.class));
				LockRequest stock = LockRequest.exclusive("stock");
				assertThatExceptionOfType(CannotCreateTransactionException.class)
					.isThrownBy(() -> locks.execute(stock, (lock) -> transaction.execute((status) -> null)));
				answers.set(true);
				locks.execute(stock, (lock) -> transaction.execute((status) -> null));
				assertThat(rows(later)).isOne();
			});
		later.close();
	}

	private static int rows(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("SELECT COUNT(*) FROM interlock_fence").query(Integer.class).single();
	}

	@Test
	void tableIsCreatedForAManagerThatIsLazy() {
		this.contextRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("interlock.transactions.fence=true", "interlock.transactions.initialize-schema=always")
			.run((context) -> {
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				context.getBean(LockOperations.class)
					.execute(LockRequest.exclusive("stock"), (lock) -> transaction.execute((status) -> null));
				assertThat(rows(context.getBean(DataSource.class))).isOne();
			});
	}

	/** As the start of one that is not lazy. */
	@Test
	void lazyManagerWithoutTheTableBeginsNoTransaction() {
		this.contextRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withPropertyValues("interlock.transactions.fence=true", "interlock.transactions.initialize-schema=never")
			.run((context) -> {
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				assertThatIllegalStateException().isThrownBy(() -> transaction.execute((status) -> null))
					.withMessageContaining("CREATE TABLE interlock_fence");
				JdbcClient.create(context.getBean(DataSource.class))
					.sql("CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL PRIMARY KEY, token BIGINT NOT NULL, used_at BIGINT NOT NULL)")
					.update();
				transaction.executeWithoutResult((status) -> {
				});
			});
	}

	/** A native image has no methods that are found by their names. */
	@ParameterizedTest
	@ValueSource(classes = { JpaTransactionManager.class, HibernateTransactionManager.class })
	void dataSourceOfAManagerIsFoundInANativeImage(Class<?> manager) throws Exception {
		RuntimeHints hints = new RuntimeHints();
		ImportRuntimeHints imported = FencedTransactionsConfiguration.class.getAnnotation(ImportRuntimeHints.class);
		assertThat(imported).isNotNull();
		for (Class<? extends RuntimeHintsRegistrar> registrar : imported.value()) {
			BeanUtils.instantiateClass(registrar).registerHints(hints, getClass().getClassLoader());
		}
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(manager.getMethod("getDataSource")))
			.accepts(hints);
	}

	private static final class MessagesTransactionManager extends AbstractPlatformTransactionManager
			implements ResourceTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		public Object getResourceFactory() {
			return "queue";
		}

		@Override
		protected Object doGetTransaction() {
			return "transaction";
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
