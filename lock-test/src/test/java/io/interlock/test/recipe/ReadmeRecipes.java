package io.interlock.test.recipe;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.template.LockContext;
import io.interlock.test.recipe.Prices.Report;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The recipes of the README.
 */
@Service
class ReadmeRecipes {

	private final Accounts accounts;

	private final Prices prices;

	private final Payments payments;

	ReadmeRecipes(Accounts accounts, Prices prices, Payments payments) {
		this.accounts = accounts;
		this.prices = prices;
		this.payments = payments;
	}

	@Transactional
	@DistributedLock(name = "accounts", key = "#id", waitTime = "2s")
	public void book(long id, BigDecimal amount) {
		this.accounts.add(id, amount);
	}

	@Scheduled(cron = "0 0 3 * * *")
	@DistributedLock(name = "settlement", minHold = "30s", onContention = ContentionPolicy.SKIP)
	public void settle() {
		this.accounts.settle();
	}

	@ReadLock(name = "prices")
	public Report report() {
		return this.prices.report();
	}

	@WriteLock(name = "prices")
	public void change(List<Article> changed) {
		this.prices.change(changed);
	}

	@Transactional
	@DistributedLock(name = "accounts", keys = { "#from", "#to" })
	public void transfer(long from, long to, BigDecimal amount) {
		this.accounts.add(from, amount.negate());
		this.accounts.add(to, amount);
	}

	@DistributedLock(name = "orders", key = "#id")
	public CompletableFuture<Receipt> charge(long id) {
		return this.payments.charge(id, LockContext.current().fencingToken());
	}

}
