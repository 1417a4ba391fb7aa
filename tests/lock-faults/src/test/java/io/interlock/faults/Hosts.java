package io.interlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.testsupport.server.ServerHost;
import org.awaitility.Awaitility;

/**
 * Hosts with networks of their own: network namespaces that a bridge joins to that of
 * this process, which must have one of its own too. Nothing outside of it changes, and
 * all of it ends with this process or after ten minutes.
 */
final class Hosts implements AutoCloseable {

	private static final String BRIDGE = "hosts";

	private static final String NET = "10.77.0.";

	private final List<Process> namespaces = new ArrayList<>();

	Hosts(int size) {
		run("ip", "link", "set", "lo", "up");
		run("ip", "link", "add", "name", BRIDGE, "type", "bridge");
		run("ip", "addr", "add", NET + "254/24", "dev", BRIDGE);
		run("ip", "link", "set", BRIDGE, "up");
		for (int host = 1; host <= size; host++) {
			add(host);
		}
	}

	private void add(int host) {
		Process namespace = newNamespace();
		this.namespaces.add(namespace);
		run("ip", "link", "add", "name", "host" + host, "type", "veth", "peer", "name", "eth0", "netns",
				Long.toString(namespace.pid()));
		run("ip", "link", "set", "host" + host, "master", BRIDGE, "up");
		runOn(host, "ip", "addr", "add", address(host) + "/24", "dev", "eth0");
		runOn(host, "ip", "link", "set", "eth0", "up");
		runOn(host, "ip", "link", "set", "lo", "up");
	}

	private static Process newNamespace() {
		try {
			Process process = new ProcessBuilder("unshare", "--net", "sleep", "600").start();
			Path ours = Files.readSymbolicLink(network("self"));
			Awaitility.await().until(() -> !Files.readSymbolicLink(network(process.pid())).equals(ours));
			return process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path network(Object process) {
		return Path.of("/proc/%s/ns/net".formatted(process));
	}

	private static String address(int host) {
		return NET + host;
	}

	/**
	 * Return where servers can run.
	 * @return the hosts, the first of which has the number 1
	 */
	List<ServerHost> all() {
		return numbers().mapToObj((host) -> new ServerHost(address(host), prefix(host))).toList();
	}

	/**
	 * Drop all packets between a host and the others. Those between it and this process
	 * pass.
	 * @param host number of the host
	 */
	void cutOff(int host) {
		numbers().filter((other) -> other != host).forEach((other) -> {
			runOn(host, "iptables", "-A", "INPUT", "-s", address(other), "-j", "DROP");
			runOn(host, "iptables", "-A", "OUTPUT", "-d", address(other), "-j", "DROP");
		});
	}

	void heal(int host) {
		runOn(host, "iptables", "-F");
	}

	private IntStream numbers() {
		return IntStream.rangeClosed(1, this.namespaces.size());
	}

	private List<String> prefix(int host) {
		return List.of("nsenter", "--net=" + network(this.namespaces.get(host - 1).pid()));
	}

	private void runOn(int host, String... command) {
		run(Stream.concat(prefix(host).stream(), Arrays.stream(command)).toArray(String[]::new));
	}

	private static void run(String... command) {
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(String.join(" ", command) + ": " + output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	@Override
	public void close() {
		this.namespaces.forEach(Process::destroyForcibly);
	}

}
