package io.interlock.autoconfigure;

import io.interlock.health.LeaseHealthIndicator;
import io.interlock.health.ZooKeeperHealthIndicator;
import io.interlock.leader.LeaderElection;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.zookeeper.ZooKeeperSession;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for {@link LeaseHealthIndicator} and
 * {@link ZooKeeperHealthIndicator}.
 * <p>
 * Backs off if there is a health contributor with the same name, of the application or of
 * Spring Cloud Zookeeper: two of one name keep an application from starting.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class,
		afterName = "org.springframework.cloud.zookeeper.ZookeeperHealthAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
public final class LockHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	@ConditionalOnEnabledHealthIndicator("interlock")
	@ConditionalOnMissingBean(name = { "interlockHealthIndicator", "interlockHealthContributor" })
	LeaseHealthIndicator interlockHealthContributor(ObjectProvider<LeaseLockProvider> provider,
			ObjectProvider<LeaderElection> election) {
		// Asked for late: a test may have a mock in place of the provider.
		return new LeaseHealthIndicator(() -> provider.getObject().address(),
				() -> provider.getObject().currentSnapshot(),
				() -> election.stream().flatMap((each) -> each.leading().keySet().stream()).toList());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ZooKeeperSession.class)
	@ConditionalOnSingleCandidate(ZooKeeperSession.class)
	@ConditionalOnEnabledHealthIndicator("zookeeper")
	static class ZooKeeperConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = { "zookeeperHealthIndicator", "zookeeperHealthContributor" })
		ZooKeeperHealthIndicator zookeeperHealthContributor(ObjectProvider<ZooKeeperSession> session,
				ObjectProvider<LeaderElection> election) {
			// Asked for late, as above.
			return new ZooKeeperHealthIndicator(() -> session.getObject().session(),
					() -> election.stream().flatMap((each) -> each.leading().keySet().stream()).toList());
		}

	}

}
