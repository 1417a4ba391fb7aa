package io.interlock.sample.show.rush;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentTime;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.sample.web.InvalidRequestException;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Service;

/**
 * Sells the same house twice at the same time in this instance: once without a lock, once
 * with it. Both sides have as many buyers and counters and run the same code. What came
 * of it is read from the database.
 */
@Service
class Comparison implements DisposableBean {

	static final long WITHOUT_LOCK = 4;

	static final long WITH_LOCK = 5;

	private static final int BUYERS = 200;

	private static final int COUNTERS = 4;

	private static final Duration PAYMENT = Duration.ofMillis(20);

	private final OneAtATime oneAtATime;

	private final BoxOffice boxOffice;

	private final UnlockedBoxOffice unlocked;

	private final PaymentTime paymentTime;

	private final ThisInstance instance;

	private final AsyncTaskExecutor executor;

	private final boolean locking;

	private final Counters countersWithoutLock = new Counters(COUNTERS, "unlocked-");

	private final Counters countersWithLock = new Counters(COUNTERS, "locked-");

	Comparison(OneAtATime oneAtATime, BoxOffice boxOffice, UnlockedBoxOffice unlocked, PaymentTime paymentTime,
			ThisInstance instance, AsyncTaskExecutor applicationTaskExecutor, BoxOfficeProperties properties) {
		this.oneAtATime = oneAtATime;
		this.boxOffice = boxOffice;
		this.unlocked = unlocked;
		this.paymentTime = paymentTime;
		this.instance = instance;
		this.executor = applicationTaskExecutor;
		this.locking = properties.locking();
	}

	/**
	 * Take all tickets of both events back, and sell both at the same time.
	 * @return how it went on both sides
	 * @throws InvalidRequestException if the locks of this instance are off
	 */
	ComparisonResult run() {
		if (!this.locking) {
			throw new InvalidRequestException("The locks of this instance are off, so there is nothing to compare. "
					+ "Start it without --sample.locking=false");
		}
		return this.oneAtATime.run(this::sellBoth);
	}

	private ComparisonResult sellBoth() {
		this.boxOffice.reset(WITHOUT_LOCK);
		this.boxOffice.reset(WITH_LOCK);
		this.paymentTime.change(PAYMENT);
		try {
			CompletableFuture<RushResult> without = this.executor
				.submitCompletable(() -> sell(WITHOUT_LOCK, this.countersWithoutLock, this.unlocked::sell));
			CompletableFuture<RushResult> with = this.executor
				.submitCompletable(() -> sell(WITH_LOCK, this.countersWithLock, this.boxOffice::sell));
			return new ComparisonResult(COUNTERS, without.join(), with.join());
		}
		finally {
			this.paymentTime.reset();
		}
	}

	private RushResult sell(long eventId, Counters counters, Seller seller) {
		long start = System.nanoTime();
		Counters.Outcomes outcomes = counters.serve(BUYERS, (buyer) -> seller.sell(eventId, buyer));
		long durationMillis = Duration.ofNanos(System.nanoTime() - start).toMillis();
		Share share = Share.of(this.instance.name(), eventId == WITH_LOCK, BUYERS, outcomes);
		return RushResult.of(eventId, BUYERS, this.boxOffice.report(eventId), durationMillis, List.of(share));
	}

	@Override
	public void destroy() {
		this.countersWithoutLock.close();
		this.countersWithLock.close();
	}

	/**
	 * Sells a ticket.
	 */
	@FunctionalInterface
	private interface Seller {

		void sell(long eventId, String buyer);

	}

}
