package io.interlock.autoconfigure;

import io.interlock.health.LeaseHealthIndicator;
import io.interlock.leader.LeaderElection;
import io.interlock.lease.LeaseLockProvider;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for {@link LeaseHealthIndicator}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnSingleCandidate(LeaseLockProvider.class)
@ConditionalOnEnabledHealthIndicator("interlock")
public final class LeaseHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "interlockHealthIndicator", "interlockHealthContributor" })
	LeaseHealthIndicator interlockHealthContributor(ObjectProvider<LeaseLockProvider> provider,
			ObjectProvider<LeaderElection> election) {
		// Asked for late: a test may have a mock in place of the provider.
		return new LeaseHealthIndicator(() -> provider.getObject().address(),
				() -> provider.getObject().currentSnapshot(),
				() -> election.stream().flatMap((each) -> each.leading().keySet().stream()).toList());
	}

}
