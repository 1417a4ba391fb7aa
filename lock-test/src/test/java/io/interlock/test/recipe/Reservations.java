package io.interlock.test.recipe;

import java.util.List;

import io.interlock.LockException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockOperations;

import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;

/**
 * Reserves articles.
 */
@Service
class Reservations {

	private final Articles articles;

	private final LockOperations locks;

	Reservations(Articles articles, LockOperations locks) {
		this.articles = articles;
		this.locks = locks;
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "200ms", fallback = "later")
	public String reserve(String sku) {
		return "reserved " + this.articles.load(sku).sku();
	}

	private String later(String sku, LockException reason) {
		return "queued " + sku;
	}

	@Retryable(includes = LockNotAcquiredException.class, maxRetries = 3, delay = 20, jitter = 10)
	@DistributedLock(name = "stock", key = "#sku", waitTime = "0")
	public String reserveWithRetries(String sku) {
		return "reserved " + this.articles.load(sku).sku();
	}

	@DistributedLock(name = "stock-stripe", key = "T(java.lang.Math).floorMod(#sku.hashCode(), 64)")
	public String reserveInStripe(String sku) {
		return "reserved " + this.articles.load(sku).sku();
	}

	String reserveUnderBothNames(String sku) {
		LockRequest oldName = LockRequest.exclusive("stock").withKey(sku);
		LockRequest newName = LockRequest.exclusive("inventory").withKey(sku);
		return this.locks.executeAll(List.of(oldName, newName), (locks) -> "reserved " + this.articles.load(sku).sku());
	}

}
