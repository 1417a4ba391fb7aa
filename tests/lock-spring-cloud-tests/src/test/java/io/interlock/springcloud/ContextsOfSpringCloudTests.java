package io.interlock.springcloud;

import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.leader.LeadershipListener;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.cloud.context.named.NamedContextFactory;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests the contexts that Spring Cloud makes above and below that of an application.
 */
@Timeout(60)
class ContextsOfSpringCloudTests {

	private static final LockRequest JOB = LockRequest.exclusive("job");

	@Test
	void anApplicationBelowABootstrapContextHasItsOwnLocks() {
		try (ConfigurableApplicationContext context = run("spring.cloud.bootstrap.enabled=true")) {
			assertThat(context.getParent()).isNotNull();
			assertThat(context.getParent().getId()).isEqualTo("bootstrap");
			assertThat(context.getParent().getBeanNamesForType(LockOperations.class)).isEmpty();
			locks(context).acquire(JOB).close();
		}
	}

	@Test
	void aRefreshOfTheEnvironmentLeavesLocksAndLeaders() {
		try (ConfigurableApplicationContext context = run("spring.cloud.bootstrap.enabled=true")) {
			LeadershipListener listener = lead(context);
			try (LockHandle held = locks(context).acquire(JOB)) {
				context.getBean(ContextRefresher.class).refresh();
				assertThat(held.isValid()).isTrue();
			}
			locks(context).acquire(JOB).close();
			then(listener).should(never()).onRevoked(any());
		}
	}

	@Test
	void namedContextsLockByTheProviderOfTheirParentAndLeaveIt() {
		try (ConfigurableApplicationContext context = run()) {
			LeadershipListener listener = lead(context);
			Clients clients = new Clients();
			clients.setApplicationContext(context);
			try (LockHandle held = locks(context).acquire(JOB)) {
				assertThat(clients.getInstance("stock", Client.class).call()).isTrue();
				assertThat(clients.getInstance("orders", Client.class).call()).isTrue();
				clients.destroy();
				assertThat(held.isValid()).isTrue();
			}
			locks(context).acquire(JOB).close();
			then(listener).should(never()).onRevoked(any());
		}
	}

	private static LeadershipListener lead(ConfigurableApplicationContext context) {
		LeadershipListener listener = mock(LeadershipListener.class);
		Leadership leadership = context.getBean(LeaderElection.class).join("reports", listener);
		Awaitility.await().until(leadership::isLeader);
		return listener;
	}

	private static LockOperations locks(ConfigurableApplicationContext context) {
		return context.getBean(LockOperations.class);
	}

	private static ConfigurableApplicationContext run(String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("interlock.provider=memory", "spring.cloud.compatibility-verifier.enabled=false",
					"spring.main.banner-mode=off")
			.properties(properties)
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RefreshAutoConfiguration.class, AopAutoConfiguration.class,
			InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
			LeaderElectionAutoConfiguration.class })
	static class Application {

	}

	/** As those of Feign and of the load balancer. */
	static class Clients extends NamedContextFactory<NamedContextFactory.Specification> {

		Clients() {
			super(OfClient.class, "clients", "client.name", Map.of());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LockAnnotationsAutoConfiguration.class })
	static class OfClient {

		@Bean
		Client client(HeldLocks locks) {
			return new Client(locks);
		}

	}

	static class Client {

		private final HeldLocks locks;

		Client(HeldLocks locks) {
			this.locks = locks;
		}

		@DistributedLock("client")
		public boolean call() {
			return this.locks.holds((held) -> held.id().name().equals("client"));
		}

	}

}
