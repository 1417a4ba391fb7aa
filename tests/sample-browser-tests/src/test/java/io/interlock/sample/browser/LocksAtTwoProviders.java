package io.interlock.sample.browser;

import io.interlock.annotation.DistributedLock;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * What takes locks at two named providers, in a box office that has them.
 */
@Component
@ConditionalOnProperty("interlock.providers.billing.provider")
class LocksAtTwoProviders {

	@Scheduled(fixedRate = 500)
	@DistributedLock(name = "invoices", provider = "billing")
	public void bill() {
	}

	@Scheduled(fixedRate = 500)
	@DistributedLock(name = "shelves", provider = "stock")
	public void count() {
	}

}
