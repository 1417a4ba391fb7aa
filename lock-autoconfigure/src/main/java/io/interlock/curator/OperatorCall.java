package io.interlock.curator;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.interlock.admin.LockInspectionException;
import org.apache.zookeeper.ZooKeeper;

/**
 * What an operator waits for: any number of requests under one deadline, for which no
 * thread but the caller's waits.
 */
final class OperatorCall {

	static final Duration TIMEOUT = Duration.ofMillis(500);

	private final ClientHandle handle;

	OperatorCall(ClientHandle handle) {
		this.handle = handle;
	}

	/**
	 * Send requests and wait for their answer.
	 * @param requests what to send; nothing more is read once the deadline has passed
	 * @param failure what to tell the caller of a failure, which is a
	 * {@link TimeoutException} or an {@link InterruptedException} if it is one of the
	 * waiting
	 * @param <T> type of the answer
	 * @return the answer
	 * @throws LockInspectionException if there is no connection
	 */
	<T> T await(BiFunction<ZooKeeper, BoundedReads, CompletableFuture<T>> requests,
			Function<Throwable, RuntimeException> failure) {
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper == null) {
			throw new LockInspectionException("There is no connection to ZooKeeper", null);
		}
		BoundedReads reads = new BoundedReads(zooKeeper);
		try {
			return requests.apply(zooKeeper, reads).get(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw failure.apply(Objects.requireNonNull(ex.getCause()));
		}
		catch (TimeoutException ex) {
			throw failure.apply(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure.apply(ex);
		}
		finally {
			reads.stop();
		}
	}

}
