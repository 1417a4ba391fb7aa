package io.interlock.zookeeper.internal.operator;

import java.util.Collections;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import org.apache.curator.framework.CuratorFramework;

/**
 * Limits the reads of one client's operators together, so that locks, which use the same
 * connection, are not held up. Invariants: at most {@value #IN_FLIGHT} reads are in
 * flight, those of calls that have given up included; at most {@value #CALLS} calls read
 * at once. Safe for use by many threads.
 */
final class OperatorReads {

	static final int IN_FLIGHT = 32;

	static final int CALLS = 2;

	private static final Map<CuratorFramework, OperatorReads> OF_CLIENTS = Collections
		.synchronizedMap(new WeakHashMap<>());

	private final Semaphore calls = new Semaphore(CALLS);

	private final Semaphore free = new Semaphore(IN_FLIGHT);

	private final Queue<BooleanSupplier> waiting = new ConcurrentLinkedQueue<>();

	/** Return the instance that all operators of a client share. */
	static OperatorReads of(CuratorFramework client) {
		return OF_CLIENTS.computeIfAbsent(client, (added) -> new OperatorReads());
	}

	boolean tryBegin() {
		return this.calls.tryAcquire();
	}

	void end() {
		this.calls.release();
	}

	/**
	 * Send a read when fewer than {@value #IN_FLIGHT} are in flight.
	 * @param read sends it, or returns {@code false} if it is not wanted any more
	 */
	void send(BooleanSupplier read) {
		this.waiting.add(read);
		sendWaiting();
	}

	void answered() {
		this.free.release();
		sendWaiting();
	}

	private void sendWaiting() {
		while (!this.waiting.isEmpty() && this.free.tryAcquire()) {
			BooleanSupplier next = this.waiting.poll();
			if (next == null || !next.getAsBoolean()) {
				this.free.release();
			}
		}
	}

}
