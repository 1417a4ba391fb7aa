package io.interlock.benchmark.server;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a connection. Bytes arrive later, but as many at a time as were sent:
 * a longer line is no narrower one.
 */
final class Line implements Runnable {

	private static final Packet END = new Packet(new byte[0], 0, 0);

	private final Socket from;

	private final Socket to;

	private final Duration delay;

	private final Tap tap;

	private final BlockingQueue<Packet> underWay = new LinkedBlockingQueue<>();

	Line(Socket from, Socket to, Duration delay, Tap tap) {
		this.from = from;
		this.to = to;
		this.delay = delay;
		this.tap = tap;
	}

	@Override
	public void run() {
		TcpProxy.start(this::deliver, "delivery");
		try {
			while (true) {
				byte[] bytes = new byte[8192];
				int count = this.from.getInputStream().read(bytes);
				if (count < 0) {
					break;
				}
				this.tap.accept(bytes, count);
				this.underWay.add(new Packet(bytes, count, System.nanoTime() + this.delay.toNanos()));
			}
		}
		catch (IOException ex) {
			// Broken on one side: break the other.
		}
		this.underWay.add(END);
	}

	private void deliver() {
		try (this.to) {
			for (Packet packet = this.underWay.take(); packet != END; packet = this.underWay.take()) {
				long early = packet.dueAt() - System.nanoTime();
				if (early > 0 && !this.delay.isZero()) {
					LockSupport.parkNanos(early);
				}
				this.to.getOutputStream().write(packet.bytes(), 0, packet.count());
			}
		}
		catch (IOException | InterruptedException ex) {
			// Nobody is left to deliver to.
		}
	}

	/**
	 * Sees what passes.
	 */
	@FunctionalInterface
	interface Tap {

		void accept(byte[] bytes, int count);

	}

	private record Packet(byte[] bytes, int count, long dueAt) {

	}

}
