package io.interlock.testsupport.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.interlock.testsupport.process.JavaProcess;

/**
 * How a server is started. Immutable.
 *
 * @param jvmOptions options of its JVM
 * @param configuration its configuration, without what a {@link Server} or an
 * {@link Ensemble} decides: ports, directories and the other servers
 * @since 0.1.0
 */
public record ServerSettings(List<String> jvmOptions, Map<String, String> configuration) {

	/**
	 * How long a server waits for another one that it takes for the leader.
	 */
	private static final Duration JOINING = Duration.ofSeconds(10);

	/**
	 * Create settings.
	 * @param jvmOptions options of the JVM
	 * @param configuration the configuration
	 */
	public ServerSettings {
		jvmOptions = List.copyOf(jvmOptions);
		configuration = Map.copyOf(configuration);
	}

	/**
	 * Return settings for tests: a server that starts fast, forces nothing to disk, looks
	 * for empty containers every second and has a {@code tickTime} of 500 ms.
	 * @return the settings
	 */
	public static ServerSettings quick() {
		return usual().withJvmOptions(JavaProcess.quickStart("128m").toArray(String[]::new))
			.withJvmOptions("-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=1024",
					"-Dznode.container.checkIntervalMs=1000")
			.withTickTime(Duration.ofMillis(500))
			.with("maxSessionTimeout", "60000");
	}

	/**
	 * Return settings for measurements: the defaults of a server, where what is answered
	 * was forced to disk.
	 * @return the settings
	 */
	public static ServerSettings usual() {
		return new ServerSettings(List.of(),
				Map.of("admin.enableServer", "false", "4lw.commands.whitelist", "*", "maxClientCnxns", "0"))
			.withTickTime(Duration.ofSeconds(2));
	}

	/**
	 * Return these settings with a heap.
	 * @param heap its size, as {@code -Xmx} takes it
	 * @return the settings
	 */
	public ServerSettings withHeap(String heap) {
		return withJvmOptions("-Xmx" + heap);
	}

	/**
	 * Return these settings with a unit of time.
	 * @param tickTime the unit, in which heartbeats and timeouts are counted
	 * @return the settings
	 */
	public ServerSettings withTickTime(Duration tickTime) {
		return with("tickTime", Long.toString(tickTime.toMillis())).with("initLimit",
				Long.toString(JOINING.dividedBy(tickTime)));
	}

	/**
	 * Return these settings with a limit of silence between the servers of an ensemble.
	 * @param ticks after how many ticks a silent leader or follower is given up
	 * @return the settings
	 */
	public ServerSettings withSyncLimit(int ticks) {
		return with("syncLimit", Integer.toString(ticks));
	}

	/**
	 * Return these settings with one more.
	 * @param name name of a property in {@code zoo.cfg}
	 * @param value its value
	 * @return the settings
	 */
	public ServerSettings with(String name, String value) {
		return with(Map.of(name, value));
	}

	/**
	 * Return these settings with more of them.
	 * @param properties properties in {@code zoo.cfg}
	 * @return the settings
	 */
	public ServerSettings with(Map<String, String> properties) {
		Map<String, String> all = new TreeMap<>(this.configuration);
		all.putAll(properties);
		return new ServerSettings(this.jvmOptions, all);
	}

	/**
	 * Return these settings with more options of the JVM.
	 * @param options the options; a later one overrides an earlier one
	 * @return the settings
	 */
	public ServerSettings withJvmOptions(String... options) {
		List<String> all = new ArrayList<>(this.jvmOptions);
		all.addAll(Arrays.asList(options));
		return new ServerSettings(all, this.configuration);
	}

}
