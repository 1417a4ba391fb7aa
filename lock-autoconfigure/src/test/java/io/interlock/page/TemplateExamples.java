package io.interlock.page;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Lock;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.event.LockEvent;
import io.interlock.template.LockContext;
import io.interlock.template.LockOperations;
import io.interlock.template.LockOutcome;
import io.interlock.template.ReactiveLockContext;
import reactor.core.publisher.Mono;

import org.springframework.context.event.EventListener;

/**
 * The examples of {@code docs/lock-template.md}, {@code docs/operations.md} and
 * {@code docs/migrating.md}.
 */
final class TemplateExamples {

	private TemplateExamples() {
	}

	static class Template {

		private final LockOperations locks;

		private final ExecutorService worker;

		Template(LockOperations locks, ExecutorService worker) {
			this.locks = locks;
			this.worker = worker;
		}

		void use(int year) {
			// A callback; checked exceptions reach the caller as they are.
			String number = this.locks.execute(LockRequest.exclusive("invoices").withKey(year),
					(lock) -> nextNumber(year));

			// Only one instance does it, the others go on. A try does not wait unless the
			// request says so.
			LockOutcome<Integer> settled = this.locks.tryExecute(LockRequest.exclusive("settlement"),
					(lock) -> settle());
			if (!settled.acquired()) {
				// another instance is settling
			}

			// A handle, held until it is closed.
			try (LockHandle lock = this.locks.acquire(LockRequest.shared("prices"))) {
				report(lock.fencingToken());
			}
			print(number);
		}

		void move() {
			LockHandle lock = this.locks.acquire(LockRequest.exclusive("export")).detach();
			this.worker.submit(() -> {
				try (lock) {
					export(lock);
				}
			});
		}

		void lock() {
			Lock lock = this.locks.asLock(LockRequest.exclusive("ledger"));
			lock.lock();
			try {
				book();
			}
			finally {
				lock.unlock();
			}
		}

		Lock migrated(String sku) {
			Lock lock = this.locks.asLock(LockRequest.exclusive("stock").withKey(sku));
			return lock;
		}

		private String nextNumber(int year) {
			return year + "-1";
		}

		private int settle() {
			return 1;
		}

		private void report(long token) {
		}

		private void print(String number) {
		}

		private void export(LockHandle lock) {
		}

		private void book() {
		}

	}

	static class Async {

		private final LockOperations locks;

		private final Payments payments;

		Async(LockOperations locks, Payments payments) {
			this.locks = locks;
			this.payments = payments;
		}

		CompletableFuture<Receipt> use(long id) {
			// The lock is held until the stage completes.
			CompletableFuture<Receipt> receipt = this.locks.executeAsync(LockRequest.exclusive("orders").withKey(id),
					(lock) -> this.payments.charge(id, lock.fencingToken()));

			// A handle, held until it is closed by any thread.
			this.locks.acquireAsync(LockRequest.exclusive("export"))
				.thenCompose((lock) -> export(lock).whenComplete((result, failure) -> lock.close()));
			return receipt;
		}

		CompletableFuture<Report> cancellable() {
			CompletableFuture<Report> report = this.locks.executeAsync(LockRequest.exclusive("report"), (lock) -> {
				AtomicBoolean stop = new AtomicBoolean();
				lock.onCancellation(() -> stop.set(true));
				return CompletableFuture.supplyAsync(() -> report(stop));
			});
			return report;
		}

		private Report report(AtomicBoolean stop) {
			return new Report(stop.get());
		}

		private CompletableFuture<Receipt> export(LockHandle lock) {
			return this.payments.charge(0, lock.fencingToken());
		}

	}

	static class Reactive {

		private final ReactivePayments payments;

		Reactive(ReactivePayments payments) {
			this.payments = payments;
		}

		@DistributedLock(name = "orders", key = "#id")
		public Mono<Receipt> charge(long id) {
			return ReactiveLockContext.current().flatMap((lock) -> this.payments.charge(id, lock.fencingToken()));
		}

	}

	static class Losses {

		private final Alarms alarms;

		private volatile boolean stop;

		Losses(Alarms alarms) {
			this.alarms = alarms;
		}

		@EventListener
		void lost(LockEvent.Lost event) {
			this.alarms.raise("Lost the lock " + event.id());
		}

		boolean work() {
			LockContext.current().onRevocationRequested((request) -> this.stop = true);
			return this.stop;
		}

	}

	static class Migrated {

		@DistributedLock(name = "stock", key = "{#tenant, #sku}", waitTime = "3s")
		public void reserve(String tenant, String sku) {
		}

		@DistributedLock(name = "stock", waitTime = "10s")
		public void reserve(String sku) {
		}

	}

	interface Payments {

		CompletableFuture<Receipt> charge(long id, long token);

	}

	interface ReactivePayments {

		Mono<Receipt> charge(long id, long token);

	}

	interface Alarms {

		void raise(String text);

	}

	record Report(boolean stopped) {

	}

	record Receipt(long id) {

	}

}
