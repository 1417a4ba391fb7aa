package io.interlock.faults.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.proxy.TcpProxy;

/**
 * A worker as the suite sees it: a process that is killed and started again, and its own
 * link to each server. Safe for use by many threads.
 */
public final class WorkerProcess implements AutoCloseable {

	private final String name;

	private final Fleet fleet;

	private final Duration sessionTimeout;

	private final String directConnectString;

	private final int witnessPort;

	private final Path log;

	private final List<TcpProxy> links;

	private final List<String> options = new ArrayList<>(JavaProcess.quickStart("96m"));

	private final String connectString;

	private int generation;

	private JavaProcess process;

	/**
	 * Start a worker.
	 * @param name its name
	 * @param fleet what it uses
	 * @param sessionTimeout session timeout of its client, or length of its leases
	 * @param servers ports of the servers
	 * @param address the address of some servers, by their ports
	 * @param witnessPort where it reports
	 * @param log where its error stream goes
	 * @param oneWrite whether one write of a session may be under way, so that most
	 * writes travel together
	 */
	public WorkerProcess(String name, Fleet fleet, Duration sessionTimeout, List<Integer> servers,
			Function<List<Integer>, String> address, int witnessPort, Path log, boolean oneWrite) {
		this.name = name;
		this.fleet = fleet;
		this.sessionTimeout = sessionTimeout;
		this.directConnectString = address.apply(servers);
		this.witnessPort = witnessPort;
		this.log = log;
		this.links = servers.stream().map(TcpProxy::to).toList();
		this.connectString = address.apply(this.links.stream().map(TcpProxy::port).toList());
		if (oneWrite) {
			this.options.add("-D" + InterlockLocks.WRITES_UNDER_WAY + "=1");
		}
		this.process = launch();
	}

	private JavaProcess launch() {
		int number = this.generation++;
		return JavaProcess.start(Worker.class, this.log, this.options,
				List.of(this.name + "#" + number, this.fleet.name(), this.connectString, this.sessionTimeout.toString(),
						this.directConnectString, Integer.toString(this.witnessPort),
						Integer.toString(this.name.hashCode() + number * 100)));
	}

	/**
	 * Kill it.
	 */
	public synchronized void kill() {
		this.process.close();
	}

	/**
	 * Start it again after it was killed.
	 */
	public synchronized void restart() {
		this.process = launch();
	}

	/**
	 * Freeze it.
	 */
	public synchronized void stop() {
		this.process.stop();
	}

	/**
	 * Thaw it.
	 */
	public synchronized void resume() {
		this.process.resume();
	}

	/**
	 * Tell it to do something.
	 * @param line what to do
	 * @param timeout how long to wait for the answer
	 * @return the answer; empty if there is none
	 */
	public synchronized String tell(String line, Duration timeout) {
		return this.process.ask(line, timeout);
	}

	/**
	 * Return its links to the servers.
	 * @return the links, in the order of the servers
	 */
	public List<TcpProxy> links() {
		return this.links;
	}

	/**
	 * Return its session timeout.
	 * @return the timeout that it asks for
	 */
	public Duration sessionTimeout() {
		return this.sessionTimeout;
	}

	/**
	 * Return what it uses.
	 * @return the fleet
	 */
	public Fleet fleet() {
		return this.fleet;
	}

	@Override
	public synchronized void close() {
		this.process.close();
		this.links.forEach(TcpProxy::close);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
