package io.interlock.logging;

import java.time.Duration;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs the events of locks at DEBUG with the logger {@value #LOGGER}. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public class LoggingLockListener implements LockListener {

	/** Name of the logger. */
	public static final String LOGGER = "io.interlock.locks";

	private static final Log logger = LogFactory.getLog(LOGGER);

	@Override
	public void onWaiting(LockRequest request) {
		Duration waitTime = request.waitTime();
		debug(() -> "Waiting for lock %s, %s, %s".formatted(request.id(), request.mode(),
				(waitTime == null || waitTime.equals(LockRequest.FOREVER)) ? "without a limit"
						: "at most " + text(waitTime)));
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		debug(() -> "Acquired lock %s, after %s".formatted(text(handle), text(waited)));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		debug(() -> "Did not acquire lock %s, %s, within %s: others hold it".formatted(request.id(), request.mode(),
				text(waited)));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		debug(() -> "Did not acquire lock %s, %s, within %s: %s".formatted(request.id(), request.mode(),
				text(failure.waited()), failure.getMessage()));
	}

	@Override
	public void onKept(LockHandle handle, Duration held) {
		debug(() -> "Keeping lock %s, for its minimum hold time, held for %s".formatted(text(handle), text(held)));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		debug(() -> "Released lock %s, held for %s".formatted(text(handle), text(held)));
	}

	private static void debug(Supplier<String> line) {
		if (logger.isDebugEnabled()) {
			logger.debug(line.get());
		}
	}

	private static String text(LockHandle handle) {
		return "%s, %s, token %d".formatted(handle.id(), handle.mode(), handle.fencingToken());
	}

	private static String text(Duration time) {
		return time.toMillis() + " ms";
	}

}
