package io.interlock.page.recipe;

import java.util.List;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * Work whose locks differ by tenant.
 */
@Service
class TenantStock {

	private final Stock stock;

	private final LockOperations locks;

	TenantStock(Stock stock, LockOperations locks) {
		this.stock = stock;
		this.locks = locks;
	}

	@DistributedLock(name = "stock", key = "{@tenants.current(), #sku}")
	public void reserve(String sku) {
		this.stock.reserve(sku);
	}

	void closeMonth(List<String> tenants) {
		for (String tenant : tenants) {
			this.locks.tryExecute(LockRequest.exclusive("month-end").withKey(tenant),
					(lock) -> this.stock.close(tenant));
		}
	}

	/**
	 * Which tenant the current call is for.
	 */
	interface Tenants {

		@Nullable String current();

	}

	/**
	 * Stock of all tenants.
	 */
	interface Stock {

		void reserve(String sku);

		int close(String tenant);

	}

}
