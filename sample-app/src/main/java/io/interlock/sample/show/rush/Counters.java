package io.interlock.sample.show.rush;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.interlock.LockNotAcquiredException;
import io.interlock.sample.event.SoldOutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Counters that sell tickets, each to one buyer at a time.
 */
class Counters implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Counters.class);

	private final ExecutorService threads;

	/**
	 * Create counters.
	 * @param number how many buyers are served at once
	 * @param threadNamePrefix begins the name of each thread
	 */
	Counters(int number, String threadNamePrefix) {
		this.threads = Executors.newFixedThreadPool(number, new CustomizableThreadFactory(threadNamePrefix));
	}

	/**
	 * Serve buyers, and return when all have been served.
	 * @param buyers how many buyers
	 * @param sale what sells a ticket to the buyer of a name
	 * @return what the buyers got
	 */
	Outcomes serve(int buyers, Consumer<String> sale) {
		Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
		List<CompletableFuture<Outcome>> purchases = IntStream.rangeClosed(1, buyers)
			.mapToObj((number) -> CompletableFuture.supplyAsync(() -> buy(sale, "Buyer " + number, failures),
					this.threads))
			.toList();
		List<Outcome> outcomes = purchases.stream().map(CompletableFuture::join).toList();
		if (!failures.isEmpty()) {
			logger.warn("%d of %d buyers met a failure, the first one: %s".formatted(failures.size(), buyers,
					failures.element()));
		}
		return new Outcomes(count(outcomes, Outcome.SOLD), count(outcomes, Outcome.SOLD_OUT),
				count(outcomes, Outcome.BUSY), count(outcomes, Outcome.FAILED));
	}

	private static Outcome buy(Consumer<String> sale, String buyer, Queue<RuntimeException> failures) {
		try {
			sale.accept(buyer);
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
	public void close() {
		this.threads.shutdownNow();
	}

	private enum Outcome {

		SOLD, SOLD_OUT, BUSY, FAILED

	}

	/**
	 * What buyers got.
	 *
	 * @param sold how many have a ticket
	 * @param soldOut how many came too late
	 * @param busy how many did not get their turn in time
	 * @param failed how many met another failure
	 */
	record Outcomes(int sold, int soldOut, int busy, int failed) {

	}

}
