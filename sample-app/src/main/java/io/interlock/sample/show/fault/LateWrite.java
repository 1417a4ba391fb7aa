package io.interlock.sample.show.fault;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.admin.LockAdministrator;
import io.interlock.fencing.StaleLockException;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentPauses;
import io.interlock.sample.event.Ticket;
import io.interlock.sample.show.fault.LateWriteResult.Actor;
import io.interlock.sample.web.InvalidRequestException;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.util.Assert;

/**
 * A sale whose lock is gone before it writes, and whose write is refused by the row. Two
 * buyers want one seat: Ada's thread stands still while she pays, the lock is taken away
 * from it and goes to Grace's thread, and then Ada's thread goes on.
 */
@Component
@ConditionalOnFaultControls
class LateWrite {

	static final long EVENT = 7;

	private static final LockRequest ONE_AT_A_TIME = LockRequest.exclusive("late-write")
		.withWaitTime(Duration.ZERO)
		.withOnLoss(LossPolicy.SIGNAL);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final LockTemplate locks;

	private final BoxOffice boxOffice;

	private final PaymentPauses payments;

	private final LockAdministrator administrator;

	private final AsyncTaskExecutor executor;

	private final JdbcClient jdbc;

	private final boolean locking;

	LateWrite(LockTemplate locks, BoxOffice boxOffice, PaymentPauses payments, LockAdministrator administrator,
			AsyncTaskExecutor applicationTaskExecutor, JdbcClient jdbc, BoxOfficeProperties properties) {
		this.locks = locks;
		this.boxOffice = boxOffice;
		this.payments = payments;
		this.administrator = administrator;
		this.executor = applicationTaskExecutor;
		this.jdbc = jdbc;
		this.locking = properties.locking();
	}

	/**
	 * Let the write come too late.
	 * @return what happened, step by step
	 * @throws InvalidRequestException if the locks of this instance are off
	 */
	LateWriteResult run() {
		if (!this.locking) {
			throw new InvalidRequestException("The locks of this instance are off, so there is no token to compare. "
					+ "Start it without --sample.locking=false");
		}
		return this.locks.execute(ONE_AT_A_TIME, (lock) -> {
			this.boxOffice.reset(EVENT);
			return sellTooLate(new LateWriteResult.Recording());
		});
	}

	private LateWriteResult sellTooLate(LateWriteResult.Recording recording) {
		String buyer = "Ada " + UUID.randomUUID();
		try {
			Ticket ticket = this.payments.during(buyer, () -> loseTheLock(recording),
					() -> this.boxOffice.sell(EVENT, buyer));
			throw new IllegalStateException("The late write was not refused: %s".formatted(ticket));
		}
		catch (StaleLockException ex) {
			long newest = fence();
			recording.add(Actor.DATABASE, ex.fencingToken(),
					"The row refuses the write: token %d is below %d. Ada's transaction is rolled back"
						.formatted(ex.fencingToken(), newest));
			int sold = this.boxOffice.report(EVENT).sold();
			recording.add(Actor.DATABASE, newest, "The seat has %d ticket: Grace's".formatted(sold));
			return new LateWriteResult(ex.fencingToken(), newest, sold, String.valueOf(ex.getMessage()),
					recording.steps());
		}
	}

	/**
	 * Runs on Ada's thread, while she pays.
	 */
	private void loseTheLock(LateWriteResult.Recording recording) {
		LockHandle lock = LockContext.current();
		long token = lock.fencingToken();
		recording.add(Actor.ADA, token, "Ada's thread has the lock and reads that the seat is free. While she pays, "
				+ "it stands still, as in a long pause of the garbage collector");
		CountDownLatch known = new CountDownLatch(1);
		lock.onLoss(known::countDown);
		this.administrator.release(lock.id(), token, "a visitor of the sample");
		await(known);
		recording.add(Actor.STORE, token,
				"The lock is taken away from it, as if its session or lease had expired. The thread does not look");
		sellInTime(recording);
		recording.add(Actor.ADA, token, "Ada's thread wakes up, believes that it has the lock, and writes");
	}

	private void sellInTime(LateWriteResult.Recording recording) {
		String buyer = "Grace " + UUID.randomUUID();
		Runnable payment = () -> recording.add(Actor.GRACE, LockContext.current().fencingToken(),
				"Grace's thread gets the lock. The seat is still free, and she pays");
		this.executor
			.submitCompletable(() -> this.payments.during(buyer, payment, () -> this.boxOffice.sell(EVENT, buyer)))
			.join();
		long token = fence();
		recording.add(Actor.GRACE, token,
				"Grace's thread writes: the seat is hers. The row remembers token %d".formatted(token));
	}

	private long fence() {
		return Objects.requireNonNull(
				this.jdbc.sql("select fence from event where id = ?").param(EVENT).query(Long.class).single());
	}

	private static void await(CountDownLatch latch) {
		try {
			Assert.state(latch.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS), "The loss of the lock is not known");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the lock was lost", ex);
		}
	}

}
