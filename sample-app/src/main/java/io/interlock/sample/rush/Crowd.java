package io.interlock.sample.rush;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.interlock.LockNotAcquiredException;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentTime;
import io.interlock.sample.event.SoldOutException;
import io.interlock.sample.instance.ThisInstance;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * The buyers of this instance, a limited number of them at a time.
 */
@Component
class Crowd implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Crowd.class);

	private final BoxOffice boxOffice;

	private final PaymentTime paymentTime;

	private final ThisInstance instance;

	private final boolean locking;

	private final ExecutorService counters;

	Crowd(BoxOffice boxOffice, PaymentTime paymentTime, ThisInstance instance, BoxOfficeProperties properties) {
		this.boxOffice = boxOffice;
		this.paymentTime = paymentTime;
		this.instance = instance;
		this.locking = properties.locking();
		this.counters = Executors.newFixedThreadPool(properties.rush().threads(),
				new CustomizableThreadFactory("counter-"));
	}

	/**
	 * Serve buyers.
	 * @param eventId the event
	 * @param buyers how many buyers
	 * @param payment how long a payment takes, or {@code null} for as long as usual
	 * @return what they got
	 */
	Share buy(long eventId, int buyers, @Nullable Duration payment) {
		if (payment != null) {
			this.paymentTime.change(payment);
		}
		try {
			return buy(eventId, buyers);
		}
		finally {
			this.paymentTime.reset();
		}
	}

	private Share buy(long eventId, int buyers) {
		Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
		List<CompletableFuture<Outcome>> purchases = IntStream.rangeClosed(1, buyers)
			.mapToObj((number) -> CompletableFuture.supplyAsync(() -> buy(eventId, "Buyer " + number, failures),
					this.counters))
			.toList();
		List<Outcome> outcomes = purchases.stream().map(CompletableFuture::join).toList();
		if (!failures.isEmpty()) {
			logger.warn("%d of %d buyers met a failure, the first one: %s".formatted(failures.size(), buyers,
					failures.element()));
		}
		return new Share(this.instance.name(), this.locking, buyers, count(outcomes, Outcome.SOLD),
				count(outcomes, Outcome.SOLD_OUT), count(outcomes, Outcome.BUSY), count(outcomes, Outcome.FAILED));
	}

	private Outcome buy(long eventId, String buyer, Queue<RuntimeException> failures) {
		try {
			this.boxOffice.sell(eventId, buyer);
			return Outcome.SOLD;
		}
		catch (SoldOutException ex) {
			return Outcome.SOLD_OUT;
		}
		catch (LockNotAcquiredException ex) {
			return Outcome.BUSY;
		}
		catch (RuntimeException ex) {
			failures.add(ex);
			return Outcome.FAILED;
		}
	}

	private static int count(List<Outcome> outcomes, Outcome outcome) {
		return (int) outcomes.stream().filter(outcome::equals).count();
	}

	@Override
	public void destroy() {
		this.counters.shutdownNow();
	}

	private enum Outcome {

		SOLD, SOLD_OUT, BUSY, FAILED

	}

}
