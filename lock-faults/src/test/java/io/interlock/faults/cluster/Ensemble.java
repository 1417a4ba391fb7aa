package io.interlock.faults.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import io.interlock.faults.proxy.Ports;
import io.interlock.faults.proxy.TcpProxy;
import org.awaitility.Awaitility;
import org.springframework.util.FileSystemUtils;

/**
 * Three ZooKeeper servers. Each follower reaches its leader through a link of its own,
 * which can be cut while clients stay connected to both.
 */
public final class Ensemble implements AutoCloseable {

	private static final int SIZE = 3;

	/**
	 * How long a server waits for another one that it takes for the leader.
	 */
	private static final Duration JOINING = Duration.ofSeconds(10);

	private final Path directory;

	private final List<Server> servers = new ArrayList<>();

	private final Map<Link, TcpProxy> links = new HashMap<>();

	/**
	 * Configure an ensemble and start it.
	 * @param tickTime unit of time of the servers
	 * @param syncLimit after how many ticks a silent leader or follower is given up
	 */
	public Ensemble(Duration tickTime, int syncLimit) {
		try {
			this.directory = Files.createTempDirectory("interlock-faults");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<int[]> ports = new ArrayList<>();
		for (int i = 0; i < SIZE; i++) {
			ports.add(new int[] { Ports.free(), Ports.free(), Ports.free() });
		}
		for (int from = 0; from < SIZE; from++) {
			for (int to = 0; to < SIZE; to++) {
				if (from != to) {
					this.links.put(new Link(from + 1, to + 1), new TcpProxy(ports.get(to)[0]));
				}
			}
		}
		for (int i = 0; i < SIZE; i++) {
			this.servers.add(new Server(i + 1, ports.get(i)[2], this.directory.resolve("server" + (i + 1)),
					configuration(i, ports, tickTime, syncLimit)));
		}
		this.servers.forEach(Server::start);
		awaitLeader();
	}

	private List<String> configuration(int self, List<int[]> ports, Duration tickTime, int syncLimit) {
		List<String> lines = new ArrayList<>(List.of("tickTime=" + tickTime.toMillis(),
				"initLimit=" + JOINING.dividedBy(tickTime), "syncLimit=" + syncLimit,
				"dataDir=" + this.directory.resolve("server" + (self + 1) + "/data"), "admin.enableServer=false",
				"4lw.commands.whitelist=*", "maxClientCnxns=0", "maxSessionTimeout=60000"));
		for (int i = 0; i < SIZE; i++) {
			int quorumPort = (i == self) ? ports.get(i)[0] : this.links.get(new Link(self + 1, i + 1)).port();
			lines.add("server.%d=127.0.0.1:%d:%d;127.0.0.1:%d".formatted(i + 1, quorumPort, ports.get(i)[1],
					ports.get(i)[2]));
		}
		return lines;
	}

	/**
	 * Return the servers.
	 * @return the servers, by id
	 */
	public List<Server> servers() {
		return this.servers;
	}

	/**
	 * Return the link on which one server follows another.
	 * @param follower the follower
	 * @param leader the leader
	 * @return the link, used only while these are their roles
	 */
	public TcpProxy link(Server follower, Server leader) {
		return this.links.get(new Link(follower.id(), leader.id()));
	}

	/**
	 * Return the links between all servers.
	 * @return the links
	 */
	public List<TcpProxy> links() {
		return List.copyOf(this.links.values());
	}

	/**
	 * Find the leader.
	 * @return the leader, if there is one at this moment
	 */
	public Optional<Server> leader() {
		return this.servers.stream().filter(Server::isLeader).findFirst();
	}

	/**
	 * Find a follower.
	 * @return one that serves at this moment
	 */
	public Optional<Server> follower() {
		return this.servers.stream().filter((server) -> server.serves() && !server.isLeader()).findFirst();
	}

	/**
	 * Wait until there is a leader and everybody else follows it.
	 * @return the leader
	 */
	public Server awaitLeader() {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> this.servers.stream().allMatch(Server::serves));
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> leader().isPresent());
		return leader().orElseThrow();
	}

	/**
	 * Return how to connect without any proxy.
	 * @return the connect string
	 */
	public String connectString() {
		return this.servers.stream()
			.map((server) -> "127.0.0.1:" + server.clientPort())
			.collect(Collectors.joining(","));
	}

	@Override
	public void close() {
		this.servers.forEach(Server::close);
		this.links.values().forEach(TcpProxy::close);
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * From a follower to its leader.
	 */
	private record Link(int from, int to) {

	}

}
