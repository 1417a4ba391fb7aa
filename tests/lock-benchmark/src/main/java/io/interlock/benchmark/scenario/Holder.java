package io.interlock.benchmark.scenario;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.benchmark.contestant.Locks;

/**
 * A thread that holds a lock until it is told to give it back.
 */
final class Holder implements AutoCloseable {

	private final CountDownLatch held = new CountDownLatch(1);

	private final CountDownLatch end = new CountDownLatch(1);

	private final Thread thread;

	private Holder(Locks locks, String key) {
		this.thread = new Thread(() -> hold(locks, key, this::awaitEnd), "holder");
		this.thread.setDaemon(true);
	}

	static Holder hold(Locks locks, String key) throws InterruptedException {
		Holder holder = new Holder(locks, key);
		holder.thread.start();
		if (!holder.held.await(20, TimeUnit.SECONDS)) {
			throw new IllegalStateException("The lock to be held cannot be had");
		}
		return holder;
	}

	private static void hold(Locks locks, String key, Runnable body) {
		try {
			locks.exclusively(key, body);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void awaitEnd() {
		this.held.countDown();
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	void check() {
		if (!this.thread.isAlive()) {
			throw new IllegalStateException("The lock was not held to the end");
		}
	}

	@Override
	public void close() {
		this.end.countDown();
		try {
			this.thread.join(TimeUnit.SECONDS.toMillis(20));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
