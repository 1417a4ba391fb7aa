package io.interlock.faults.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One server of an ensemble: a process that comes and goes, and a place on disk that
 * stays.
 */
public final class Server implements AutoCloseable {

	private final int id;

	private final int clientPort;

	private final Path directory;

	private @Nullable JavaProcess process;

	Server(int id, int clientPort, Path directory, List<String> configuration) {
		this.id = id;
		this.clientPort = clientPort;
		this.directory = directory;
		try {
			Files.createDirectories(directory.resolve("data"));
			Files.writeString(directory.resolve("data/myid"), Integer.toString(id));
			Files.write(directory.resolve("zoo.cfg"), configuration);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start it, unless it runs.
	 */
	public synchronized void start() {
		if (this.process == null) {
			List<String> options = List.of("-Xmx128m", "-Dzookeeper.forceSync=no", "-Dzookeeper.preAllocSize=1024",
					"-Dznode.container.checkIntervalMs=1000", "-Dzookeeper.jmx.log4j.disable=true");
			this.process = JavaProcess.start(ServerMain.class, this.directory.resolve("server.log"), options,
					List.of(this.directory.resolve("zoo.cfg").toString()));
		}
	}

	/**
	 * Kill it. What it has on disk stays.
	 */
	public synchronized void kill() {
		JavaProcess running = this.process;
		this.process = null;
		if (running != null) {
			running.close();
		}
	}

	/**
	 * Freeze it.
	 */
	public synchronized void stop() {
		if (this.process != null) {
			this.process.stop();
		}
	}

	/**
	 * Thaw it.
	 */
	public synchronized void resume() {
		if (this.process != null) {
			this.process.resume();
		}
	}

	/**
	 * Return its number, from 1 on.
	 * @return the id
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return where clients connect.
	 * @return the port
	 */
	public int clientPort() {
		return this.clientPort;
	}

	/**
	 * Return whether it leads the ensemble.
	 * @return {@code false} also if it does not answer
	 */
	public boolean isLeader() {
		return FourLetterWord.ask(this.clientPort, "srvr").contains("Mode: leader");
	}

	boolean serves() {
		return FourLetterWord.ask(this.clientPort, "srvr").contains("Mode: ");
	}

	/**
	 * Return the watches it keeps, by session.
	 * @return the answer to {@code wchc}
	 */
	public String watches() {
		return FourLetterWord.ask(this.clientPort, "wchc");
	}

	@Override
	public void close() {
		kill();
	}

}
