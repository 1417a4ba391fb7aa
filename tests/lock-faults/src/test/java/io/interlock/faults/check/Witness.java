package io.interlock.faults.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.faults.check.FencedResource.Update;
import org.jspecify.annotations.Nullable;

/**
 * Listens to what workers report, and is the resource that they write to. No fault
 * reaches it. Each thread of a worker has a connection of its own, so what it reports of
 * one hold arrives in order.
 */
public final class Witness implements AutoCloseable {

	private final History history;

	private final ServerSocket listener;

	private final Map<String, FencedResource> resources = new ConcurrentHashMap<>();

	/**
	 * Start to listen.
	 * @param history where to note what is reported
	 */
	public Witness(History history) {
		this.history = history;
		try {
			this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	/**
	 * Return where to report.
	 * @return a port on the loopback interface
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.listener.accept();
				start(() -> listen(socket));
			}
		}
		catch (IOException ex) {
			// Closed: the run is over.
		}
	}

	private void start(Runnable task) {
		Thread thread = new Thread(task, "witness");
		thread.setDaemon(true);
		thread.start();
	}

	private void listen(Socket socket) {
		try (socket;
				BufferedReader lines = new BufferedReader(
						new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
			socket.setTcpNoDelay(true);
			Testimony testimony = new Testimony();
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				String answer = testimony.hear(line);
				if (answer != null) {
					socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
				}
			}
		}
		catch (IOException ex) {
			// The worker was killed, possibly in mid-sentence.
		}
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
	}

	/**
	 * What one thread reports.
	 */
	private final class Testimony {

		private String instance = "";

		private final Map<String, ObservedHold> holds = new HashMap<>();

		private @Nullable ObservedHold hold;

		@Nullable String hear(String line) {
			String[] words = line.split(" ");
			switch (words[0]) {
				case "I" -> this.instance = words[1];
				case "G" -> granted(words);
				case "H" -> this.hold = this.holds.get(words[1]);
				case "V" -> hold().valid(Long.parseLong(words[1]));
				case "E" -> hold().ended(Long.parseLong(words[1]), Long.parseLong(words[2]));
				case "A" -> Witness.this.history
					.add(new ObservedAttempt(this.instance, Long.parseLong(words[2]), Outcome.valueOf(words[1]),
							Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5])));
				case "R" -> hold().reentered(Long.parseLong(words[1]));
				case "C" -> Witness.this.history.connection(this.instance, words[1], Long.parseLong(words[2]));
				case "X" -> Witness.this.history.add(new Violation("worker", this.instance + ": " + line.substring(2)));
				case "Q" -> {
					return resource().read(hold().token()) + "\n";
				}
				case "W" -> {
					return update(Long.parseLong(words[1])) ? "+" : "-";
				}
				default -> throw new IllegalArgumentException(line);
			}
			return null;
		}

		private void granted(String[] words) {
			ObservedHold granted = new ObservedHold(words[1], Boolean.parseBoolean(words[2]), this.instance,
					Long.parseLong(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]));
			this.hold = granted;
			this.holds.put(granted.key(), granted);
			Witness.this.history.add(granted);
		}

		private boolean update(long read) {
			Update update = resource().update(hold().token(), read);
			Witness.this.history.count((update != Update.REFUSED) ? "writes accepted" : Coverage.STALE_WRITES, 1);
			if (update == Update.ACCEPTED_OVER_ANOTHER) {
				Witness.this.history.add(new Violation("lost update", hold() + " has written over another update"));
			}
			return update != Update.REFUSED;
		}

		private FencedResource resource() {
			return Witness.this.resources.computeIfAbsent(hold().key(), (key) -> new FencedResource());
		}

		private ObservedHold hold() {
			ObservedHold current = this.hold;
			if (current == null) {
				throw new IllegalStateException("Nothing was granted to " + this.instance);
			}
			return current;
		}

	}

}
