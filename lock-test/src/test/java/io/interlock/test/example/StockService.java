package io.interlock.test.example;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * The code under test.
 */
@Service
class StockService {

	private final Warehouse warehouse;

	StockService(Warehouse warehouse) {
		this.warehouse = warehouse;
	}

	@DistributedLock(name = "stock", key = "#sku", waitTime = "10s")
	public void reserve(String sku, int amount) {
		this.warehouse.take(sku, amount);
	}

	@DistributedLock(name = "inventory", minHold = "5m", onContention = ContentionPolicy.SKIP)
	public void takeInventory() {
		this.warehouse.count();
	}

}
