package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.time.Lapse;
import org.jspecify.annotations.Nullable;

/**
 * Lets faults happen, chosen by a seed, in lanes that overlap.
 */
final class Chaos {

	private final long seed;

	private final BooleanSupplier goesOn;

	private final List<Fault> faults;

	private final BiFunction<Fault, Random, Site> sites;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	Chaos(long seed, BooleanSupplier goesOn, List<Fault> faults, BiFunction<Fault, Random, Site> sites) {
		this.seed = seed;
		this.goesOn = goesOn;
		this.faults = faults;
		this.sites = sites;
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
		List<Fault> inLane = this.faults.stream().filter((fault) -> fault.lane() == lane).toList();
		List<Fault> next = new ArrayList<>();
		try {
			while (!inLane.isEmpty() && this.goesOn.getAsBoolean() && this.failure.get() == null) {
				if (next.isEmpty()) {
					next.addAll(inLane);
				}
				Fault fault = next.remove(random.nextInt(next.size()));
				fault.action().run(this.sites.apply(fault, random));
				Lapse.of(Duration.ofMillis(500 + random.nextInt(3000)));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
