package io.interlock.benchmark.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.springframework.util.FileSystemUtils;

/**
 * A standalone ZooKeeper server in a process of its own, with its data on disk and the
 * defaults of a server otherwise: what is answered was forced to disk.
 *
 * @since 0.1.0
 */
public final class Server implements AutoCloseable {

	private final int port = freePort();

	private final Path directory;

	private final JavaProcess process;

	/**
	 * Start a server and wait until it serves.
	 * @param parent directory in which its data are kept while it runs
	 * @param heap its heap, as {@code -Xmx} takes it
	 */
	public Server(Path parent, String heap) {
		Path configuration;
		try {
			Files.createDirectories(parent);
			this.directory = Files.createTempDirectory(parent, "server");
			configuration = Files.write(this.directory.resolve("zoo.cfg"),
					List.of("tickTime=2000", "dataDir=" + this.directory.resolve("data"), "clientPort=" + this.port,
							"clientPortAddress=127.0.0.1", "admin.enableServer=false",
							"4lw.commands.whitelist=srvr,mntr", "maxClientCnxns=0"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.process = JavaProcess.start(ServerMain.class, parent.resolve("server.log"), List.of("-Xmx" + heap),
				List.of(configuration.toString()));
		awaitService();
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void awaitService() {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		while (!FourLetterWord.ask(this.port, "srvr").contains("Mode: ")) {
			if (System.nanoTime() > deadline || !this.process.process().isAlive()) {
				close();
				throw new IllegalStateException("The server does not serve: see " + this.directory.getParent());
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
		}
	}

	/**
	 * Return its port.
	 * @return a port on the loopback interface
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Return where to connect.
	 * @return host and port
	 */
	public String connectString() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Ask for one of the numbers that {@code mntr} tells.
	 * @param name for example {@code zk_znode_count}
	 * @return the number
	 */
	public long monitored(String name) {
		return FourLetterWord.ask(this.port, "mntr")
			.lines()
			.map((line) -> line.split("\t"))
			.filter((line) -> line.length == 2 && line[0].equals(name))
			.mapToLong((line) -> (long) Double.parseDouble(line[1]))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The server does not tell " + name));
	}

	@Override
	public void close() {
		this.process.close();
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
