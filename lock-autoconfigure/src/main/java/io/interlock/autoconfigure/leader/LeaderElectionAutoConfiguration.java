package io.interlock.autoconfigure.leader;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.interceptor.LeaderOnlyAdvisor;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.leader.LeaderElection;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for leader election. Proxies for annotated methods come with
 * {@link LockAnnotationsAutoConfiguration}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class })
@EnableConfigurationProperties({ InterlockProperties.class, InterlockProperties.Leader.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LeaderElectionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LockProvider.class)
	LeaderElection interlockLeaderElection(@Qualifier("interlockQueueingLockProvider") QueueingLockProvider providers,
			ApplicationEventPublisher publisher) {
		return new LeaderElection(providers::provider, publisher);
	}

	@Bean
	@ConditionalOnBean(value = LeaderElection.class, search = SearchStrategy.CURRENT)
	@ConditionalOnBooleanProperty(name = "interlock.leader.requires-readiness", matchIfMissing = true)
	Readiness interlockLeaderReadiness(LeaderElection election, ObjectProvider<ApplicationArguments> application,
			ApplicationContext context) {
		return new Readiness(election, application.getIfAvailable() != null, context);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnBooleanProperty(name = "interlock.annotations.enabled", matchIfMissing = true)
	static LeaderOnlyAdvisor interlockLeaderOnlyAdvisor(ObjectProvider<LeaderElection> election,
			Environment environment) {
		LeaderOnlyAdvisor advisor = new LeaderOnlyAdvisor(election::getObject, environment);
		int order = environment.getProperty("interlock.annotations.order", Integer.class, LockAdvisor.DEFAULT_ORDER);
		advisor.setOrder(Math.max(order, Integer.MIN_VALUE + 1) - 1);
		return advisor;
	}

	/**
	 * Without {@code SpringApplication}, an application is not said to be ready. Child
	 * contexts publish their own readiness to their parent too.
	 */
	static final class Readiness implements ApplicationListener<AvailabilityChangeEvent<?>> {

		private final LeaderElection election;

		private final ApplicationContext context;

		Readiness(LeaderElection election, boolean announced, ApplicationContext context) {
			this.election = election;
			this.context = context;
			if (announced) {
				election.setReady(false);
			}
		}

		@Override
		public void onApplicationEvent(AvailabilityChangeEvent<?> event) {
			if (event.getState() instanceof ReadinessState state && !isOfChild(event)) {
				this.election.setReady(state == ReadinessState.ACCEPTING_TRAFFIC);
			}
		}

		private boolean isOfChild(AvailabilityChangeEvent<?> event) {
			return event.getSource() instanceof ApplicationContext source && source != this.context;
		}

	}

}
