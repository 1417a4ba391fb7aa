package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.interlock.faults.chaos.FaultKind.Lane;
import io.interlock.faults.time.Lapse;
import org.jspecify.annotations.Nullable;

/**
 * Lets faults happen, chosen by a seed, in lanes that overlap.
 */
final class Chaos {

	private final long seed;

	private final BooleanSupplier goesOn;

	private final SiteFactory sites;

	private final Function<FaultKind, Boolean> applies;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	Chaos(long seed, BooleanSupplier goesOn, SiteFactory sites, Function<FaultKind, Boolean> applies) {
		this.seed = seed;
		this.goesOn = goesOn;
		this.sites = sites;
		this.applies = applies;
	}

	/**
	 * Let faults happen until the time is over or a lane fails, and all of them are
	 * mended.
	 * @throws IllegalStateException if a fault could not be made or mended, so that the
	 * run is void
	 */
	void run() throws InterruptedException {
		List<Thread> lanes = new ArrayList<>();
		for (Lane lane : Lane.values()) {
			Thread thread = new Thread(() -> run(lane), "chaos-" + lane);
			thread.setDaemon(true);
			thread.setUncaughtExceptionHandler((failed, ex) -> this.failure.compareAndSet(null, ex));
			lanes.add(thread);
			thread.start();
		}
		for (Thread thread : lanes) {
			thread.join();
		}
		Throwable failed = this.failure.get();
		if (failed != null) {
			throw new IllegalStateException("A fault could not be made or mended", failed);
		}
	}

	private void run(Lane lane) {
		Random random = new Random(this.seed * 31 + lane.ordinal());
		List<FaultKind> kinds = new ArrayList<>();
		try {
			while (this.goesOn.getAsBoolean() && this.failure.get() == null) {
				if (kinds.isEmpty()) {
					Arrays.stream(FaultKind.values())
						.filter((kind) -> kind.lane() == lane && this.applies.apply(kind))
						.forEach(kinds::add);
				}
				FaultKind kind = kinds.remove(random.nextInt(kinds.size()));
				kind.run(this.sites.site(kind, random));
				Lapse.of(Duration.ofMillis(500 + random.nextInt(3000)));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Says where a fault happens.
	 */
	@FunctionalInterface
	interface SiteFactory {

		Site site(FaultKind kind, Random random);

	}

}
