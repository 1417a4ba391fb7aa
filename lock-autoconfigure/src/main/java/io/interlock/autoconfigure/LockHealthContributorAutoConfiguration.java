package io.interlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import io.interlock.health.LeaseHealthIndicator;
import io.interlock.health.ZooKeeperHealthIndicator;
import io.interlock.leader.LeaderElection;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.zookeeper.ZooKeeperSession;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

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

	private static final boolean ZOOKEEPER = ClassUtils.isPresent("io.interlock.zookeeper.ZooKeeperSession",
			LockHealthContributorAutoConfiguration.class.getClassLoader());

	@Bean
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	@ConditionalOnEnabledHealthIndicator("interlock")
	@ConditionalOnMissingBean(name = { "interlockHealthIndicator", "interlockHealthContributor" })
	LeaseHealthIndicator interlockHealthContributor(ObjectProvider<LeaseLockProvider> provider,
			ObjectProvider<LeaderElection> election) {
		// Asked for late: a test may have a mock in place of the provider.
		return new LeaseHealthIndicator(() -> provider.getObject().address(),
				() -> provider.getObject().currentSnapshot(), () -> leading(election, null));
	}

	private static List<String> leading(ObjectProvider<LeaderElection> election, @Nullable String provider) {
		return election.stream().flatMap((each) -> each.leading(provider).keySet().stream()).toList();
	}

	/** The default provider has a contributor of its own, so that its path stays. */
	@Bean
	@ConditionalOnBean(NamedLockProviders.class)
	@ConditionalOnEnabledHealthIndicator("interlock-providers")
	@ConditionalOnMissingBean(name = "interlockProvidersHealthContributor")
	CompositeHealthContributor interlockProvidersHealthContributor(NamedLockProviders providers,
			ObjectProvider<LeaderElection> election) {
		return CompositeHealthContributor.fromMap(
				providers.<HealthIndicator>map((name, provider) -> indicator(provider, () -> leading(election, name))));
	}

	private static @Nullable HealthIndicator indicator(LockProvider provider, Supplier<Collection<String>> leading) {
		if (provider instanceof LeaseLockProvider leases) {
			return new LeaseHealthIndicator(leases::address, leases::currentSnapshot, leading);
		}
		return ZOOKEEPER ? ZooKeeperConfiguration.indicator(provider, leading) : null;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ZooKeeperSession.class)
	@ConditionalOnSingleCandidate(ZooKeeperSession.class)
	@ConditionalOnEnabledHealthIndicator("zookeeper")
	static class ZooKeeperConfiguration {

		static @Nullable HealthIndicator indicator(LockProvider provider, Supplier<Collection<String>> leading) {
			return (provider instanceof ZooKeeperSession session)
					? new ZooKeeperHealthIndicator(session::session, session::address, leading) : null;
		}

		@Bean
		@ConditionalOnMissingBean(name = { "zookeeperHealthIndicator", "zookeeperHealthContributor" })
		ZooKeeperHealthIndicator zookeeperHealthContributor(ObjectProvider<ZooKeeperSession> session,
				ObjectProvider<LeaderElection> election) {
			// Asked for late, as above.
			return new ZooKeeperHealthIndicator(() -> session.getObject().session(),
					() -> session.getObject().address(), () -> leading(election, null));
		}

	}

}
