package io.interlock.page;

import java.math.BigDecimal;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.template.LockHandles;
import io.interlock.template.LockOperations;

import org.springframework.stereotype.Service;

/**
 * The examples of {@code docs/annotations.md}.
 */
final class AnnotationExamples {

	private AnnotationExamples() {
	}

	@Service
	static class StockService {

		@DistributedLock(name = "stock", key = "#sku")
		public void reserve(String sku, int amount) {
			// one caller per article, on all instances
		}

		@ReadLock(name = "prices")
		public void report() {
			// together with other readers, never beside a writer
		}

		@WriteLock(name = "prices")
		public void changePrices(List<Price> prices) {
			// alone
		}

	}

	static class Accounts {

		@DistributedLock(name = "accounts", keys = { "#from", "#to" })
		public void transfer(String from, String to, BigDecimal amount) {
			// no other instance touches either account
		}

		@DistributedLock(name = "stock", keys = "#order.items.![sku]")
		public void reserve(Order order) {
			// one lock for each article of the order
		}

	}

	static class Several {

		private final LockOperations locks;

		Several(LockOperations locks) {
			this.locks = locks;
		}

		void sell(String sku, LockId stockId, List<LockRequest> requests) {
			this.locks.executeAll(List.of(LockRequest.exclusive("stock").withKey(sku), LockRequest.shared("prices")),
					(locks) -> sell(sku, locks.handle(stockId).fencingToken()));

			try (LockHandles locks = this.locks.acquireAll(requests)) {
				merge(locks.handles());
			}
		}

		private long sell(String sku, long token) {
			return token;
		}

		private void merge(List<LockHandle> handles) {
		}

	}

	static class Fallback {

		private final Stock stock;

		Fallback(Stock stock) {
			this.stock = stock;
		}

		@DistributedLock(name = "stock", key = "#sku", waitTime = "200ms", fallback = "later")
		public Reservation reserve(String sku, int amount) {
			return this.stock.reserve(sku, amount);
		}

		@SuppressWarnings("unused")
		private Reservation later(String sku, int amount, LockException reason) {
			return Reservation.queued(sku, amount);
		}

	}

	interface Stock {

		Reservation reserve(String sku, int amount);

	}

	record Reservation(String sku, int amount) {

		static Reservation queued(String sku, int amount) {
			return new Reservation(sku, amount);
		}

	}

	record Price(String sku) {

	}

	record Item(String sku) {

	}

	record Order(String number, List<Item> items) {

	}

}
