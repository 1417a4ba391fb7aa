package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.interlock.autoconfigure.InterlockProperties.MinHoldAtShutdown;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Frees the locks of an instance that stops, before its session times out. It stops after
 * the web server and the executors, so that requests which are still served and tasks
 * which are still run get their locks. If the context closes and executors end their work
 * only when they are destroyed, it stops after them when it is destroyed itself, or
 * refuses locks when the timeout is over. To stop: no caller may wait any more, holders
 * get the rest of the timeout, unless they wait for the shutdown themselves, and what
 * they still hold afterwards is taken from them when the provider is closed.
 */
class LockLifecycle implements SmartLifecycle, DisposableBean, BeanNameAware, ApplicationListener<ContextClosedEvent> {

	/** Below the phases in which web servers, listeners and executors stop. */
	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private static final Log logger = LogFactory.getLog(LockLifecycle.class);

	private final HeldLocks heldLocks;

	private final Duration timeout;

	private final MinHoldAtShutdown minHold;

	private final LateWork lateWork;

	private final ApplicationContext context;

	private String beanName = "interlockLockLifecycle";

	private long stoppedAt;

	private volatile boolean running;

	private volatile boolean closing;

	private volatile boolean deferred;

	LockLifecycle(HeldLocks heldLocks, Duration timeout, MinHoldAtShutdown minHold, LateWork lateWork,
			ApplicationContext context) {
		this.heldLocks = heldLocks;
		this.timeout = timeout;
		this.minHold = minHold;
		this.lateWork = lateWork;
		this.context = context;
	}

	@Override
	public void setBeanName(String name) {
		this.beanName = name;
	}

	/** A context that closes destroys its beans, and one that only stops does not. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.closing |= event.getApplicationContext() == this.context;
	}

	@Override
	public void start() {
		this.heldLocks.start();
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.stoppedAt = System.nanoTime();
		this.deferred = this.closing && this.lateWork.endsBefore(this.beanName);
		if (this.deferred) {
			Executor atEnd = CompletableFuture.delayedExecutor(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
			atEnd.execute(this.heldLocks::stop);
		}
		else {
			free(this.timeout);
		}
	}

	@Override
	public void destroy() {
		if (this.deferred) {
			free(this.timeout.minusNanos(System.nanoTime() - this.stoppedAt));
		}
	}

	private void free(Duration left) {
		this.heldLocks.stop();
		if (this.minHold == MinHoldAtShutdown.RELEASE) {
			this.heldLocks.keepNone();
		}
		else {
			this.heldLocks.leaveKept(this.minHold == MinHoldAtShutdown.KEEP);
		}
		try {
			this.heldLocks.awaitReleased(left);
			this.heldLocks.keepNone();
			warnOfHolders();
			OutlivingLocks.tell(this.heldLocks.left());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void warnOfHolders() {
		List<LockSnapshot> left = this.heldLocks.held().stream().filter((lock) -> lock.keptUntil() == null).toList();
		if (!left.isEmpty()) {
			logger.warn("Locks still held after %s of shutdown are released while their methods run: %s"
				.formatted(this.timeout, left));
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
