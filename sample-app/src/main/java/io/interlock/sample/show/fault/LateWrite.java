package io.interlock.sample.show.fault;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.admin.LockAdministrator;
import io.interlock.fencing.StaleLockException;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentPauses;
import io.interlock.sample.event.Ticket;
import io.interlock.sample.event.TwoStepSale;
import io.interlock.sample.show.fault.LateWriteResult.Actor;
import io.interlock.sample.web.InvalidRequestException;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Component;
import org.springframework.util.Assert;

/**
 * A sale whose lock is gone before it writes, with each {@link Fence}. Two buyers want
 * one seat: Ada's thread stands still while she pays, the lock is taken away from it and
 * goes to Grace's thread, and then Ada's thread goes on.
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

	private final TwoStepSale sale;

	private final PaymentPauses payments;

	private final LockAdministrator administrator;

	private final AsyncTaskExecutor executor;

	private final boolean locking;

	LateWrite(LockTemplate locks, BoxOffice boxOffice, TwoStepSale sale, PaymentPauses payments,
			LockAdministrator administrator, AsyncTaskExecutor applicationTaskExecutor,
			BoxOfficeProperties properties) {
		this.locks = locks;
		this.boxOffice = boxOffice;
		this.sale = sale;
		this.payments = payments;
		this.administrator = administrator;
		this.executor = applicationTaskExecutor;
		this.locking = properties.locking();
	}

	/**
	 * Let the write come too late, with one fence after the other.
	 * @return what happened with each, step by step
	 * @throws InvalidRequestException if the locks of this instance are off
	 */
	List<LateWriteResult> run() {
		if (!this.locking) {
			throw new InvalidRequestException("The locks of this instance are off, so there is no token to compare. "
					+ "Start it without --sample.locking=false");
		}
		return this.locks.execute(ONE_AT_A_TIME, (lock) -> Stream.of(Fence.values()).map(this::run).toList());
	}

	private LateWriteResult run(Fence fence) {
		this.boxOffice.reset(EVENT);
		LateWriteResult.Recording recording = new LateWriteResult.Recording();
		String refusal = sellTooLate(fence, recording);
		Assert.state((refusal == null) == (fence == Fence.NONE),
				() -> "The late write with fence %s has met: %s".formatted(fence, refusal));
		long late = recording.token(Actor.ADA);
		long newest = recording.token(Actor.GRACE);
		recording.add(Actor.DATABASE, late, fence.answer(late, newest));
		int tickets = this.boxOffice.report(EVENT).sold();
		recording.add(Actor.DATABASE, newest, (tickets == 1) ? "has 1 ticket for the seat: Grace's"
				: "has %d tickets for the seat: Grace's and Ada's".formatted(tickets));
		return new LateWriteResult(fence, late, newest, tickets, refusal, recording.steps());
	}

	private @Nullable String sellTooLate(Fence fence, LateWriteResult.Recording recording) {
		try {
			sell(fence, "Ada", () -> loseTheLock(fence, recording));
			return null;
		}
		catch (StaleLockException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	private Ticket sell(Fence fence, String name, Runnable payment) {
		String buyer = name + " " + UUID.randomUUID();
		return this.locks.execute(fence.lock(EVENT),
				(lock) -> this.payments.during(buyer, payment, () -> this.sale.sell(EVENT, buyer)));
	}

	/**
	 * Runs on Ada's thread, while she pays.
	 */
	private void loseTheLock(Fence fence, LateWriteResult.Recording recording) {
		LockHandle lock = LockContext.current();
		long token = lock.fencingToken();
		recording.add(Actor.ADA, token, "reads that the seat is free. While she pays, her thread stands still");
		CountDownLatch known = new CountDownLatch(1);
		lock.onLoss(known::countDown);
		this.administrator.release(lock.id(), token, "a visitor of the sample");
		await(known);
		recording.add(Actor.STORE, token, "takes the lock away, as if it had expired");
		long newest = sellInTime(fence, recording);
		recording.add(Actor.GRACE, newest, "writes: the seat is hers");
		recording.add(Actor.ADA, token, "wakes up, does not look for her lock, and writes");
	}

	private long sellInTime(Fence fence, LateWriteResult.Recording recording) {
		this.executor
			.submitCompletable(() -> sell(fence, "Grace", () -> recording.add(Actor.GRACE,
					LockContext.current().fencingToken(), "gets the lock, reads that the seat is free and pays")))
			.join();
		return recording.token(Actor.GRACE);
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
