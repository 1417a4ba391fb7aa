package io.interlock.testsupport.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.proxy.TcpProxy;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.util.FileSystemUtils;

/**
 * Three ZooKeeper servers in JVMs of their own. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Ensemble implements AutoCloseable {

	private static final int SIZE = 3;

	private static final Duration ELECTION_TIMEOUT = Duration.ofSeconds(60);

	private final Path directory;

	private final List<Server> servers = new ArrayList<>();

	private final Map<Link, TcpProxy> links = new HashMap<>();

	private Ensemble(Path directory, ServerSettings settings, boolean linked) {
		this(directory, Collections.nCopies(SIZE, ServerHost.LOOPBACK), settings, linked);
	}

	private Ensemble(Path directory, List<ServerHost> hosts, ServerSettings settings, boolean linked) {
		this.directory = directory;
		List<Member> members = hosts.stream()
			.map((host) -> new Member(host, Ports.free(), Ports.free(), Ports.free()))
			.toList();
		if (linked) {
			link(members);
		}
		for (int id = 1; id <= SIZE; id++) {
			this.servers.add(new Server(id, hosts.get(id - 1), members.get(id - 1).clientPort(),
					this.directory.resolve("server" + id), settings.with(configuration(id, members))));
		}
		this.servers.forEach(Server::start);
		awaitLeader();
	}

	/**
	 * Start an ensemble and wait until it has a leader.
	 * @param settings how to start each server
	 * @return the ensemble, which has no links
	 */
	public static Ensemble start(ServerSettings settings) {
		return new Ensemble(temporaryDirectory(), settings, false);
	}

	/**
	 * Start an ensemble whose data lie on a disk of the caller's choice, and wait until
	 * it has a leader. Directories of temporary files may lie in memory.
	 * @param parent directory in which configurations, logs and data are kept until the
	 * ensemble is closed
	 * @param settings how to start each server
	 * @return the ensemble, which has no links
	 */
	public static Ensemble start(Path parent, ServerSettings settings) {
		try {
			Files.createDirectories(parent);
			return new Ensemble(Files.createTempDirectory(parent.toAbsolutePath(), "ensemble"), settings, false);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start an ensemble in which each follower reaches its leader through a link of its
	 * own, which can be cut while clients stay connected to both, and wait until it has a
	 * leader.
	 * @param settings how to start each server
	 * @return the ensemble
	 */
	public static Ensemble linked(ServerSettings settings) {
		return new Ensemble(temporaryDirectory(), settings, true);
	}

	/**
	 * Start an ensemble whose servers run on hosts of their own, and wait until it has a
	 * leader.
	 * @param hosts three hosts
	 * @param settings how to start each server
	 * @return the ensemble, which has no links
	 */
	public static Ensemble on(List<ServerHost> hosts, ServerSettings settings) {
		return new Ensemble(temporaryDirectory(), hosts, settings, false);
	}

	private static Path temporaryDirectory() {
		try {
			return Files.createTempDirectory("interlock-ensemble");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void link(List<Member> members) {
		for (int from = 1; from <= SIZE; from++) {
			for (int to = 1; to <= SIZE; to++) {
				if (from != to) {
					this.links.put(new Link(from, to), TcpProxy.to(members.get(to - 1).quorumPort()));
				}
			}
		}
	}

	private Map<String, String> configuration(int self, List<Member> members) {
		Map<String, String> properties = new HashMap<>();
		for (int id = 1; id <= SIZE; id++) {
			Member member = members.get(id - 1);
			TcpProxy link = this.links.get(new Link(self, id));
			int quorumPort = (link != null) ? link.port() : member.quorumPort();
			properties.put("server." + id, "%1$s:%2$d:%3$d;%1$s:%4$d".formatted(member.host().address(), quorumPort,
					member.electionPort(), member.clientPort()));
		}
		return properties;
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
	 * @throws IllegalStateException if the servers have no link
	 */
	public TcpProxy link(Server follower, Server leader) {
		TcpProxy link = this.links.get(new Link(follower.id(), leader.id()));
		if (link == null) {
			throw new IllegalStateException(
					"Server %d has no link to server %d: use Ensemble.linked".formatted(follower.id(), leader.id()));
		}
		return link;
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
	 * Wait until there is a leader and all other servers follow it.
	 * @return the leader
	 * @throws IllegalStateException if a minute passes; the message shows the log of each
	 * server that does not serve
	 */
	public Server awaitLeader() {
		try {
			Awaitility.await().atMost(ELECTION_TIMEOUT).until(() -> this.servers.stream().allMatch(Server::serves));
			return Awaitility.await().atMost(ELECTION_TIMEOUT).until(this::leader, Optional::isPresent).orElseThrow();
		}
		catch (ConditionTimeoutException ex) {
			throw new IllegalStateException(
					this.servers.stream()
						.filter((server) -> !server.serves())
						.map(Server::diagnosis)
						.collect(Collectors.joining("\n", "The servers found no leader that all of them follow\n", "")),
					ex);
		}
	}

	/**
	 * Return where clients connect without any proxy.
	 * @return host and port of all servers
	 */
	public String connectString() {
		return this.servers.stream().map(Server::connectString).collect(Collectors.joining(","));
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
	 * Ports of a server.
	 */
	private record Member(ServerHost host, int quorumPort, int electionPort, int clientPort) {

	}

	/**
	 * From a follower to its leader.
	 */
	private record Link(int from, int to) {

	}

}
