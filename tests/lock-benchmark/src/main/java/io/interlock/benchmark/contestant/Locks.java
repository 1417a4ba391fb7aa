package io.interlock.benchmark.contestant;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One way of locking, connected to a server. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface Locks extends AutoCloseable {

	/**
	 * Do something under an exclusive lock, however long it takes to get it.
	 * @param key what to lock
	 * @param body what to do
	 * @throws Exception if the lock cannot be had or the body fails
	 */
	void exclusively(String key, Runnable body) throws Exception;

	/**
	 * Do something under a shared lock, however long it takes to get it.
	 * @param key what to lock
	 * @param body what to do
	 * @throws Exception if the lock cannot be had or the body fails
	 */
	default void shared(String key, Runnable body) throws Exception {
		throw new UnsupportedOperationException("No shared locks");
	}

	/**
	 * Do something under an exclusive lock, if it can be had without waiting.
	 * @param key what to lock
	 * @param body what to do
	 * @return whether it was done
	 * @throws Exception if the lock cannot be had or the body fails
	 */
	boolean tryExclusively(String key, Runnable body) throws Exception;

	/**
	 * Acquire an exclusive lock, however long it takes to get it.
	 * @param key what to lock
	 * @return what users keep of the lock and call to give it back
	 * @throws Exception if the lock cannot be had
	 */
	default AutoCloseable hold(String key) throws Exception {
		throw new UnsupportedOperationException("No lock without a body");
	}

	/**
	 * Do something under an exclusive lock as soon as it can be had. Unless a contestant
	 * waits without a thread, each call takes one.
	 * @param key what to lock
	 * @param body what to do
	 * @return completed when it was done and the lock was given back
	 */
	default CompletableFuture<?> whenFree(String key, Runnable body) {
		return CompletableFuture.runAsync(() -> {
			try {
				exclusively(key, body);
			}
			catch (Exception ex) {
				throw new CompletionException(ex);
			}
		}, (task) -> {
			Thread thread = new Thread(task, "waiter");
			thread.setDaemon(true);
			thread.start();
		});
	}

	/**
	 * Return what is kept about locks at this moment.
	 * @return the number of locks that something is kept about
	 */
	default int entries() {
		return 0;
	}

	@Override
	void close();

}
