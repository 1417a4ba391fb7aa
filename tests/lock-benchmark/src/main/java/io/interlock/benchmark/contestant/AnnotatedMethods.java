package io.interlock.benchmark.contestant;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import org.jspecify.annotations.Nullable;

/**
 * What an application annotates.
 *
 * @since 0.1.0
 */
public class AnnotatedMethods {

	/**
	 * Do something under an exclusive lock.
	 * @param key what to lock
	 * @param body what to do
	 */
	@DistributedLock(name = "benchmark", key = "#key", waitTime = "forever")
	public void exclusively(String key, Runnable body) {
		body.run();
	}

	/**
	 * Do something under a shared lock.
	 * @param key what to lock
	 * @param body what to do
	 */
	@ReadLock(name = "benchmark", key = "#key", waitTime = "forever")
	public void shared(String key, Runnable body) {
		body.run();
	}

	/**
	 * Do something under an exclusive lock, if it can be had without waiting.
	 * @param key what to lock
	 * @param body what to do
	 * @return something, if it was done
	 */
	@DistributedLock(name = "benchmark", key = "#key", waitTime = "0", onContention = ContentionPolicy.SKIP)
	public @Nullable Boolean tryExclusively(String key, Runnable body) {
		body.run();
		return true;
	}

	/**
	 * Do something under an exclusive lock whose key is an expression that looks into its
	 * argument.
	 * @param order whose number to lock
	 * @param body what to do
	 */
	@DistributedLock(name = "benchmark", key = "#order.number", waitTime = "forever")
	public void exclusively(Order order, Runnable body) {
		body.run();
	}

	/**
	 * Something with a number.
	 *
	 * @param number the number
	 */
	public record Order(String number) {

	}

}
