package io.interlock.test.example;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockRequest;
import io.interlock.template.LockOperations;

/**
 * Prices that are changed under a lock.
 */
class PriceList {

	private static final LockRequest PRICES = LockRequest.exclusive("prices");

	private final Map<String, BigDecimal> prices = new ConcurrentHashMap<>();

	private final LockOperations locks;

	PriceList(LockOperations locks) {
		this.locks = locks;
	}

	boolean change(String sku, BigDecimal price) {
		return this.locks.tryExecute(PRICES.withKey(sku), (lock) -> this.prices.put(sku, price)).acquired();
	}

}
