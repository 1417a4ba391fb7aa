package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.interlock.autoconfigure.InterlockProperties.MinHoldAtShutdown;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Frees the locks of an instance that stops, before its session times out. It stops after
 * the web server, so that requests which are still served get their locks: then no caller
 * may wait any more, holders get some time, unless they wait for the shutdown themselves,
 * and what they still hold afterwards is taken from them when the provider is closed.
 */
class LockLifecycle implements SmartLifecycle {

	/** Below the phases in which {@code WebServerApplicationContext} drains and stops. */
	static final int PHASE = DEFAULT_PHASE - 3072;

	private static final Log logger = LogFactory.getLog(LockLifecycle.class);

	private final HeldLocks heldLocks;

	private final Duration timeout;

	private final MinHoldAtShutdown minHold;

	private volatile boolean running;

	LockLifecycle(HeldLocks heldLocks, Duration timeout, MinHoldAtShutdown minHold) {
		this.heldLocks = heldLocks;
		this.timeout = timeout;
		this.minHold = minHold;
	}

	@Override
	public void start() {
		this.heldLocks.start();
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.heldLocks.stop();
		if (this.minHold == MinHoldAtShutdown.RELEASE) {
			this.heldLocks.keepNone();
		}
		else {
			this.heldLocks.leaveKept(this.minHold == MinHoldAtShutdown.KEEP);
		}
		try {
			this.heldLocks.awaitReleased(this.timeout);
			this.heldLocks.keepNone();
			List<LockSnapshot> left = this.heldLocks.held()
				.stream()
				.filter((lock) -> lock.keptUntil() == null)
				.toList();
			if (!left.isEmpty()) {
				logger.warn("Still held after %s of shutdown, so they are released while their methods run: %s"
					.formatted(this.timeout, left));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
