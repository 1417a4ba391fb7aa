package io.interlock.test.recipe;

import io.interlock.annotation.LeaderOnly;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job of the leader.
 */
@Component
class InvoiceJob {

	private final Accounts accounts;

	InvoiceJob(Accounts accounts) {
		this.accounts = accounts;
	}

	@Scheduled(fixedRate = 1000)
	@LeaderOnly("billing")
	public void sendInvoices() {
		this.accounts.settle();
	}

}
