package io.interlock.faults.counter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.faults.time.Lapse;
import io.interlock.testsupport.process.JavaProcess;

/**
 * Three {@linkplain CountingApplication instances} as processes, of which one at a time
 * is stopped.
 */
public final class Fleet implements AutoCloseable {

	private static final int SIZE = 3;

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private final LockStore store;

	private final List<JavaProcess> instances;

	private int stops;

	/**
	 * Start the instances.
	 * @param store their locks
	 * @param url their database
	 * @param user its user
	 * @param logs directory for what they log
	 */
	public Fleet(LockStore store, String url, String user, Path logs) {
		this.store = store;
		List<String> arguments = Stream.concat(store.arguments().stream(),
				Stream.of("--counter.url=" + url, "--counter.user=" + user, "--interlock.transactions.fence=true",
						"--interlock.transactions.initialize-schema=always", "--interlock.default-wait-time=2s",
						"--interlock.locks." + Counter.BARE.lock() + ".fence=false"))
			.toList();
		this.instances = IntStream.range(0, SIZE)
			.mapToObj((i) -> JavaProcess.start(CountingApplication.class, logs.resolve("instance" + i + ".log"),
					JavaProcess.quickStart("128m"), arguments))
			.toList();
		this.instances.forEach(Fleet::answer);
	}

	/**
	 * Let the instances count, stop one after the other at a moment of each counter, and
	 * let them end.
	 * @param moments where they are stopped
	 * @return what all of them have answered
	 */
	public Map<Counter, Tally> count(List<Moment> moments) throws InterruptedException {
		this.instances.forEach((instance) -> ask(instance, "run"));
		for (Moment moment : moments) {
			stopOne(moment);
		}
		this.instances.forEach((instance) -> instance.send("end"));
		Map<Counter, Tally> tallies = new EnumMap<>(Counter.class);
		for (JavaProcess instance : this.instances) {
			String[] answer = answer(instance).split(",");
			for (Counter counter : Counter.values()) {
				tallies.merge(counter, Tally.parse(answer[counter.ordinal()]), Tally::plus);
			}
		}
		return tallies;
	}

	private void stopOne(Moment moment) throws InterruptedException {
		JavaProcess instance = this.instances.get(this.stops++ % SIZE);
		this.store.beforeAStop().run();
		ask(instance, moment.name());
		instance.stop();
		long stopped = System.nanoTime();
		try {
			this.store.inAStop().run();
			Lapse.of(this.store.pastTheLease().minusNanos(System.nanoTime() - stopped));
		}
		finally {
			instance.resume();
		}
	}

	private static String ask(JavaProcess instance, String line) {
		instance.send(line);
		return answer(instance);
	}

	private static String answer(JavaProcess instance) {
		return instance.await(CountingApplication.ANSWER, TIMEOUT);
	}

	@Override
	public void close() {
		this.instances.forEach(JavaProcess::close);
	}

}
