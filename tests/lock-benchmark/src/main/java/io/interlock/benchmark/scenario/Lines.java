package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.testsupport.proxy.TcpProxy;

/**
 * Longer lines to servers on this machine, one line for each port. Safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public final class Lines implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("(?<=:)\\d+");

	private final Duration roundTrip;

	private final Map<Integer, TcpProxy> lines = new ConcurrentHashMap<>();

	/**
	 * Create the lines, of which each one begins with the first address that needs it.
	 * @param roundTrip how much longer a round trip takes, half of it in each direction
	 */
	Lines(Duration roundTrip) {
		this.roundTrip = roundTrip;
	}

	/**
	 * Return where a client connects to reach a server over its longer line.
	 * @param address the address of the server, with its port, in any form
	 * @return the same address with the port of the line
	 */
	String to(String address) {
		Matcher port = PORT.matcher(address);
		return port.replaceAll((found) -> Integer
			.toString(this.lines.computeIfAbsent(Integer.valueOf(found.group()), this::line).port()));
	}

	private TcpProxy line(int port) {
		TcpProxy line = TcpProxy.to(port);
		line.delay(this.roundTrip.dividedBy(2));
		return line;
	}

	@Override
	public void close() {
		this.lines.values().forEach(TcpProxy::close);
	}

}
