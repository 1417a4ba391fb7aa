package io.interlock.faults.counter;

import java.time.Duration;

import javax.sql.DataSource;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.faults.time.Lapse;
import io.interlock.template.LockOperations;

import org.springframework.transaction.support.TransactionOperations;

/**
 * Increments one counter again and again, and counts what was answered.
 */
final class CountingThread extends Thread {

	private static final Duration AFTER_A_REFUSAL = Duration.ofMillis(50);

	private final Counter counter;

	private final LockOperations locks;

	private final TransactionOperations transactions;

	private final DataSource dataSource;

	private final Moments moments;

	private final LockRequest request;

	private volatile boolean ending;

	/** Of this thread, until it has ended. */
	private Tally tally = Tally.NONE;

	CountingThread(Counter counter, LockOperations locks, TransactionOperations transactions, DataSource dataSource,
			Moments moments) {
		super(counter.name());
		this.counter = counter;
		this.locks = locks;
		this.transactions = transactions;
		this.dataSource = dataSource;
		this.moments = moments;
		this.request = LockRequest.exclusive(counter.lock());
	}

	/**
	 * Let it come to an end, and return what was answered.
	 */
	Tally end() throws InterruptedException {
		this.ending = true;
		join();
		return this.tally;
	}

	@Override
	public void run() {
		while (!this.ending) {
			int before = this.tally.committed();
			try {
				this.locks.executeWithoutResult(this.request, (lock) -> {
					this.moments.pass(Moment.HELD);
					this.transactions.executeWithoutResult((status) -> increment());
					this.tally = this.tally.plusCommitted();
				});
			}
			catch (RuntimeException ex) {
				// A lock that was lost is told behind the commit too.
				if (this.tally.committed() == before) {
					this.tally = this.tally.plusRefused(reason(ex));
					pause();
				}
			}
			Thread.interrupted();
		}
	}

	private void increment() {
		int amount = this.counter.read(this.dataSource);
		this.moments.pass(Moment.READ);
		this.counter.write(this.dataSource, amount + 1);
	}

	private static String reason(RuntimeException ex) {
		String reason = ex.getClass().getSimpleName();
		return (ex instanceof LockNotAcquiredException && String.valueOf(ex.getMessage()).contains("earlier holder"))
				? reason + "(earlier-holder)" : reason;
	}

	private static void pause() {
		try {
			Lapse.of(AFTER_A_REFUSAL);
		}
		catch (InterruptedException ex) {
			// It was told of a loss, and goes on.
		}
	}

}
