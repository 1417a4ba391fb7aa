package io.interlock.autoconfigure.data;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a repository with annotated methods. The class behind its proxy does not
 * implement its interface.
 */
class LockedRepositoryTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
				HibernateJpaAutoConfiguration.class))
		.withUserConfiguration(Repositories.class)
		.withPropertyValues("interlock.provider=memory", "spring.datasource.generate-unique-name=true",
				"spring.jpa.hibernate.ddl-auto=create-drop");

	@Test
	void aQueryTakesItsLock() {
		assertLocked((articles, sku) -> articles.findSku(sku));
	}

	@Test
	void aDefaultMethodTakesItsLock() {
		assertLocked((articles, sku) -> articles.reserve(sku));
	}

	@Test
	void aMethodOfSpringDataThatIsDeclaredAgainTakesItsLock() {
		assertLocked((articles, sku) -> {
			articles.deleteById(sku);
			return sku;
		});
	}

	private void assertLocked(Call call) {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			Articles articles = context.getBean(Articles.class);
			LockGrant other = context.getBean(InMemoryLockProvider.class)
				.attempt(LockRequest.exclusive("articles").withKey("7"), LockCaller.current())
				.outcome()
				.join()
				.orElseThrow();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> call.run(articles, "7"));
			assertThat(call.run(articles, "8")).isEqualTo("8");
			other.release();
			assertThat(call.run(articles, "7")).isEqualTo("7");
		});
	}

	interface Call {

		String run(Articles articles, String sku);

	}

	interface Articles extends JpaRepository<Article, String> {

		@Query(value = "select cast(?1 as varchar)", nativeQuery = true)
		@DistributedLock(name = "articles", key = "#sku", waitTime = "0")
		String findSku(String sku);

		@DistributedLock(name = "articles", key = "#sku", waitTime = "0")
		default String reserve(String sku) {
			return findAll().isEmpty() ? sku : "";
		}

		@Override
		@DistributedLock(name = "articles", key = "#sku", waitTime = "0")
		void deleteById(String sku);

	}

	@Entity
	static class Article {

		@Id
		String sku = "";

	}

	@Configuration(proxyBeanMethods = false)
	@EnableJpaRepositories(considerNestedRepositories = true)
	@EntityScan(basePackageClasses = Article.class)
	static class Repositories {

	}

}
