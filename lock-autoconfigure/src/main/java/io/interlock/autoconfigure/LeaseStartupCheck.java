package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.internal.AbstractStartupCheck;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that locks can be acquired in a store of leases. With a timeout the
 * application does not start before that is known. Without one it starts at once, and the
 * check logs its failure.
 */
final class LeaseStartupCheck extends AbstractStartupCheck {

	private static final long RETRY_PAUSE_MILLIS = 200;

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final LeaseLockProvider provider;

	private final @Nullable String name;

	private final Duration patience;

	private volatile @Nullable LeaseStoreException obstacle;

	/** Create a check that waits for the store, for zero in the background. */
	LeaseStartupCheck(LeaseLockProvider provider, Duration timeout) {
		this(provider, null, timeout, PATIENCE);
	}

	/** Create a check of the store of a named provider. */
	LeaseStartupCheck(LeaseLockProvider provider, String name, Duration timeout) {
		this(provider, name, timeout, PATIENCE);
	}

	LeaseStartupCheck(LeaseLockProvider provider, @Nullable String name, Duration timeout, Duration patience) {
		super("the store of the locks", timeout);
		this.provider = provider;
		this.name = name;
		this.patience = patience;
	}

	@Override
	protected void awaitStore() throws InterruptedException {
		long start = System.nanoTime();
		boolean told = false;
		while (!isServing()) {
			if (!told && System.nanoTime() - start >= this.patience.toNanos()) {
				told = true;
				this.logger.warn("%s cannot be used for locks: %s. Locks cannot be acquired until it can"
					.formatted(address().location(), problem()));
			}
			TimeUnit.MILLISECONDS.sleep(RETRY_PAUSE_MILLIS);
		}
		this.logger
			.info("Locks%s are kept in %s. %s".formatted((this.name != null) ? " of provider '" + this.name + "'" : "",
					address(), this.provider.capabilities()));
	}

	private boolean isServing() {
		try {
			this.provider.check();
			return true;
		}
		catch (LeaseStoreException ex) {
			if (!ex.isPassing()) {
				throw ex;
			}
			this.obstacle = ex;
			return false;
		}
	}

	@Override
	protected LeaseStoreException unreachable(Duration timeout) {
		LeaseStoreException reason = this.obstacle;
		return LeaseStoreException.lasting(
				"%s cannot be used for locks within the startup timeout of %d ms: %s".formatted(address().location(),
						timeout.toMillis(), problem()),
				remedy(reason, "Start %s there, or correct %s".formatted(address().store(), address().properties()))
						+ ". Set interlock.startup-timeout=0 to start without waiting",
				reason);
	}

	private static String remedy(@Nullable LeaseStoreException reason, String otherwise) {
		String known = (reason != null) ? reason.getRemedy() : null;
		return (known != null) ? known : otherwise;
	}

	private String problem() {
		LeaseStoreException reason = this.obstacle;
		return (reason != null) ? reason.getProblem() : "it does not answer";
	}

	@Override
	protected LeaseStoreException refused(@Nullable Throwable reason) {
		LeaseStoreException known = (reason instanceof LeaseStoreException failure) ? failure : null;
		return LeaseStoreException.lasting(
				"%s cannot be used for locks: %s".formatted(address(),
						(known != null) ? known.getProblem() : String.valueOf(reason)),
				remedy(known, "Make it usable for this application, or correct " + address().properties()), reason);
	}

	private LeaseStoreAddress address() {
		return this.provider.address();
	}

}
