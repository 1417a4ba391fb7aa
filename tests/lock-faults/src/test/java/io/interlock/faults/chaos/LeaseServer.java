package io.interlock.faults.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.check.History;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.time.WallClock;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.faults.worker.Workload;
import io.interlock.testsupport.proxy.TcpProxy;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.util.FileSystemUtils;

/**
 * The server of a store of leases, which is killed, stopped, and has its clock set. It
 * keeps its data. Used by one lane of faults, and observed by other threads.
 */
abstract class LeaseServer extends LeaseServers {

	private static final String CLOCK_SET_FORWARD = "CLOCK_SET_FORWARD";

	private static final Duration LONGEST_BODY = Duration.ofSeconds(10);

	private static final Duration LONGEST_SHORT_BODY = Duration.ofMillis(2600);

	/**
	 * A body that lasts for longer than the short ones goes on for two seconds then.
	 */
	private static final Duration LATEST_TO_END_EARLY = Duration.ofSeconds(5);

	private static final long TOLERANCE_MICROS = 2_000_000;

	private final Path directory;

	private final WallClock clock;

	private int aheadSeconds;

	LeaseServer() {
		try {
			this.directory = Files.createTempDirectory("interlock-clock");
			// The server may run as another user.
			Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxr-xr-x"));
			this.clock = new WallClock(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the environment in which the clock of the server can be set.
	 */
	final Map<String, String> environment() {
		return WallClock.isAvailable() ? this.clock.environment() : Map.of();
	}

	abstract int port();

	@Override
	final List<Integer> ports() {
		return List.of(port());
	}

	@Override
	final String address(List<Integer> ports) {
		return address(ports.get(0));
	}

	/**
	 * Return the address of the store for clients.
	 * @param port port of the server, or of a link to it
	 */
	abstract String address(int port);

	abstract void kill();

	abstract void restart();

	abstract void pause();

	abstract void resume();

	@Override
	List<Fault> faults() {
		List<Fault> faults = super.faults();
		faults.add(new Fault("SERVER_KILLED", Lane.SERVERS, 50, 7000,
				(site) -> site.during("server", this::kill, this::restart)));
		faults.add(new Fault("SERVER_STOPPED", Lane.SERVERS, 300, 8000,
				(site) -> site.during("server", this::pause, this::resume)));
		if (WallClock.isAvailable()) {
			faults.add(new Fault(CLOCK_SET_FORWARD, Lane.SERVERS, 10, 100, this::setForward));
			faults.add(new Fault("CLOCK_SET_BACK", Lane.SERVERS, 10, 100, this::setBack));
		}
		return faults;
	}

	@Override
	final boolean endLeasesEarly() {
		return true;
	}

	@Override
	final boolean isAt(String target, String key) {
		return target.equals("server") || target.equals("clock");
	}

	/**
	 * Set the clock forward by more than any lease, which ends all of them early. The
	 * holder, if there is one, reaches the server two seconds later than the others,
	 * which ask once a second: it would renew its lease before another one asks.
	 */
	private void setForward(Site site) throws InterruptedException {
		int seconds = 7 + site.random(4);
		awaitLongHolder(site);
		List<TcpProxy> late = site.holder().map(WorkerProcess::links).orElse(List.of());
		site.during("clock", () -> {
			late.forEach(TcpProxy::blackHole);
			long before = System.nanoTime();
			long time = set(seconds);
			site.history().lapsed(CLOCK_SET_FORWARD, before, System.nanoTime(), time);
		}, () -> {
			letPass(Duration.ofSeconds(2));
			late.forEach(TcpProxy::heal);
		});
	}

	/**
	 * Set the clock back, and wait until it shows again what it has shown: a server that
	 * loses its data before that may give out tokens again.
	 */
	private void setBack(Site site) throws InterruptedException {
		int seconds = 3 + site.random(4);
		site.during("clock", () -> set(-seconds), () -> letPass(Duration.ofSeconds(seconds)));
	}

	/**
	 * Wait until the lock that is held for long is granted, so that an early end of its
	 * lease meets a holder and others that wait. One that meets none is as good, and
	 * shows less.
	 */
	static void awaitHolder(Site site, long since) {
		await(Duration.ofSeconds(10), () -> site.history().isHeldAlone(Workload.LONG_KEY, since, LONGEST_BODY));
	}

	/**
	 * Wait until it is held for longer than its short bodies take, by a holder that goes
	 * on for seconds. Such a one is there soon, while the next grant may be far.
	 */
	private static void awaitLongHolder(Site site) {
		await(Duration.ofSeconds(20), () -> {
			long now = System.nanoTime();
			History history = site.history();
			return history.isHeldAlone(Workload.LONG_KEY, now - LATEST_TO_END_EARLY.toNanos(), LONGEST_BODY)
					&& !history.isHeldAlone(Workload.LONG_KEY, now - LONGEST_SHORT_BODY.toNanos(), LONGEST_BODY);
		});
	}

	private static void await(Duration limit, Callable<Boolean> condition) {
		try {
			Awaitility.await().atMost(limit).pollInterval(Duration.ofMillis(20)).until(condition);
		}
		catch (ConditionTimeoutException ex) {
			// Other faults keep it from being granted.
		}
	}

	/**
	 * Set the clock.
	 * @return what it shows at least from now on
	 */
	private long set(int seconds) {
		try {
			long before = time();
			this.aheadSeconds += seconds;
			this.clock.set(Duration.ofSeconds(this.aheadSeconds));
			long after = time();
			if (Math.abs(after - before - seconds * 1_000_000L) > TOLERANCE_MICROS) {
				throw new IllegalStateException(
						"The clock went from %d to %d instead of by %d s".formatted(before, after, seconds));
			}
			return before + seconds * 1_000_000L;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The clock could not be set", ex);
		}
	}

	static void letPass(Duration duration) {
		try {
			Lapse.of(duration);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
