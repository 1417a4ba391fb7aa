package io.interlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.leader.LeadershipListener;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests applications of several contexts.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ContextHierarchyTests {

	private static final LockRequest JOB = LockRequest.exclusive("job");

	private final List<String> leads = new CopyOnWriteArrayList<>();

	private ConfigurableApplicationContext parent;

	private Leadership leadership;

	@BeforeEach
	void startParent() {
		this.parent = builder(Parent.class).run();
		this.leadership = this.parent.getBean(LeaderElection.class).join("reports", new LeadershipListener() {

			@Override
			public void onGranted(Leadership granted) {
				ContextHierarchyTests.this.leads.add("granted");
			}

			@Override
			public void onRevoked(Leadership revoked) {
				ContextHierarchyTests.this.leads.add("revoked");
			}

		});
		Awaitility.await().until(this.leadership::isLeader);
	}

	@AfterEach
	void closeParent() {
		this.parent.close();
	}

	@Test
	void aClosedChildLeavesLocksAndLeadersOfItsParent() {
		ConfigurableApplicationContext sibling = child();
		try (LockHandle held = locks(this.parent).acquire(JOB)) {
			child().close();
			assertThat(held.isValid()).isTrue();
			locks(this.parent).acquire(LockRequest.exclusive("other")).close();
			locks(sibling).acquire(LockRequest.exclusive("other")).close();
		}
		assertThat(this.leads).containsExactly("granted");
		assertThat(sibling.getBean(Stock.class).take("a")).isTrue();
		sibling.close();
	}

	@Test
	void whatChangesLocksExistsOnceInTheContextThatOwnsThem() {
		ConfigurableApplicationContext child = child();
		for (Class<?> type : List.of(HeldLocks.class, LockProvider.class, QueueingLockProvider.class,
				LockOperations.class, LockLifecycle.class, LeaderElection.class, NamedLockProviders.class)) {
			assertThat(this.parent.getBeanNamesForType(type)).as(type.getName()).isNotEmpty();
			assertThat(child.getBeanNamesForType(type)).as(type.getName()).isEmpty();
		}
		assertThat(child.containsLocalBean("second")).isFalse();
		assertThat(child.containsLocalBean("interlockLeaderReadiness")).isFalse();
		assertThat(child.getBean("second")).isSameAs(this.parent.getBean("second"));
		child.close();
	}

	@Test
	void aChildLocksItsOwnBeansByTheProviderOfItsParent() {
		ConfigurableApplicationContext child = child();
		assertThat(child.getBean(LockAdvisor.class)).isNotSameAs(this.parent.getBean(LockAdvisor.class));
		assertThat(child.getBean(Stock.class).take("a")).isTrue();
		assertThat(child.getBean(Stock.class).takeOfSecond()).isTrue();
		child.close();
	}

	@Test
	void aBeanInAKeyIsThatOfTheContextOfTheTarget() {
		ConfigurableApplicationContext east = child("--region=east");
		ConfigurableApplicationContext west = child("--region=west");
		assertThat(east.getBean(Stock.class).key("1")).isEqualTo("east-1");
		assertThat(west.getBean(Stock.class).key("1")).isEqualTo("west-1");
		east.close();
		assertThat(west.getBean(Stock.class).key("1")).isEqualTo("west-1");
		west.close();
	}

	@Test
	void readinessOfAChildIsNotThatOfTheContextThatOwnsTheElections() {
		ConfigurableApplicationContext child = child();
		AvailabilityChangeEvent.publish(child, ReadinessState.REFUSING_TRAFFIC);
		assertThat(this.leadership.isLeader()).isTrue();
		child.close();
		AvailabilityChangeEvent.publish(this.parent, ReadinessState.REFUSING_TRAFFIC);
		Awaitility.await().until(() -> !this.leadership.isLeader());
		assertThat(this.leads).containsExactly("granted", "revoked");
	}

	@Test
	void aClosedChildLeavesTheElectionsOfItsOwnMethods() {
		LeaderElection election = this.parent.getBean(LeaderElection.class);
		ConfigurableApplicationContext child = child();
		Awaitility.await().until(() -> election.leading().containsKey("of-child"));
		child.close();
		Awaitility.await().until(() -> !election.leading().containsKey("of-child"));
		assertThat(election.leading()).containsKey("reports");
	}

	@Test
	void aChildThatIsRefreshedTwiceLocksAgain() {
		AnnotationConfigWebApplicationContext child = new AnnotationConfigWebApplicationContext();
		child.setParent(this.parent);
		child.register(Child.class);
		child.refresh();
		child.refresh();
		assertThat(child.getBean(Stock.class).key("1")).isEqualTo("none-1");
		child.close();
		locks(this.parent).acquire(JOB).close();
		assertThat(this.leads).containsExactly("granted");
	}

	@Test
	void warningsAboutTheStoreAreGivenOnce(CapturedOutput output) {
		child().close();
		assertThat(output)
			.containsOnlyOnce("Locks are kept in the memory of this JVM: they do not exclude other " + "processes")
			.containsOnlyOnce("Locks of provider 'second' are kept in the memory");
	}

	@Test
	void childrenOfAPlainContextHaveTheirOwnLocks() {
		try (ConfigurableApplicationContext plain = new SpringApplicationBuilder(Plain.class)
			.web(WebApplicationType.NONE)
			.run()) {
			ConfigurableApplicationContext one = builder(Child.class).parent(plain).run();
			ConfigurableApplicationContext other = builder(Child.class).parent(plain).run();
			assertThat(locks(one)).isNotSameAs(locks(other));
			one.close();
			locks(other).acquire(JOB).close();
			other.close();
		}
	}

	@Test
	void aClosedChildLeavesTheSessionOfItsParent() throws Exception {
		try (TestingServer server = new TestingServer()) {
			ApplicationContextRunner runner = new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class,
						InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
				.withPropertyValues("interlock.zookeeper.connect-string=" + server.getConnectString(),
						"interlock.startup-timeout=30s");
			LockRequest job = JOB.withWaitTime(Duration.ZERO);
			runner.run((owner) -> {
				try (LockHandle held = locks(owner).acquire(job)) {
					runner.withParent(owner).run((child) -> assertThat(locks(child)).isSameAs(locks(owner)));
					runner.run((other) -> assertThat(locks(other).tryAcquire(job)).isEmpty());
					assertThat(held.isValid()).isTrue();
				}
				locks(owner).acquire(job).close();
			});
		}
	}

	private ConfigurableApplicationContext child(String... arguments) {
		return builder(Child.class).parent(this.parent).run(arguments);
	}

	private static SpringApplicationBuilder builder(Class<?> source) {
		return new SpringApplicationBuilder(source).web(WebApplicationType.NONE)
			.properties("interlock.provider=memory", "interlock.providers.second.provider=memory",
					"spring.main.banner-mode=off", "spring.jmx.enabled=false");
	}

	private static LockOperations locks(ApplicationContext context) {
		return context.getBean(LockOperations.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

	}

	/** Not all of them: those of JPA would scan this package. */
	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@ImportAutoConfiguration({ PropertyPlaceholderAutoConfiguration.class,
			ApplicationAvailabilityAutoConfiguration.class, AopAutoConfiguration.class,
			InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
			LockAnnotationsAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
			LocksEndpointAutoConfiguration.class, LockHealthContributorAutoConfiguration.class })
	@interface EnableLocks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableLocks
	static class Parent {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableLocks
	static class Child {

		@Bean
		Stock stock(HeldLocks locks) {
			return new Stock(locks);
		}

		@Bean
		Keys keys(@Value("${region:none}") String region) {
			return new Keys(region);
		}

	}

	record Keys(String region) {

		public String of(String id) {
			return this.region + "-" + id;
		}

	}

	static class Stock {

		private final HeldLocks locks;

		Stock(HeldLocks locks) {
			this.locks = locks;
		}

		@DistributedLock(name = "stock", key = "#id")
		public boolean take(String id) {
			return this.locks.holds((held) -> held.id().name().equals("stock"));
		}

		@DistributedLock(name = "stock", provider = "second")
		public boolean takeOfSecond() {
			return this.locks.holds((held) -> "second".equals(held.id().provider()));
		}

		@DistributedLock(name = "keyed", key = "@keys.of(#id)")
		public String key(String id) {
			return this.locks.held().get(0).id().key();
		}

		@LeaderOnly("of-child")
		public void lead() {
		}

	}

}
