package io.interlock.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.lease.LeaseSimulation.Event;
import io.interlock.lease.LeaseSimulation.Fault;
import org.jspecify.annotations.Nullable;

/**
 * The time of an instance in a simulation. Its clock has a beginning of its own, and runs
 * a little faster or slower than those of others; its tasks run on the thread of the
 * simulation.
 */
final class SimulatedLeaseTime implements LeaseTime {

	private final LeaseSimulation simulation;

	private final SimulatedLeaseInstance instance;

	private final long beginning;

	/** By so many millionths this clock is faster. */
	private final int drift;

	private boolean closed;

	private int planned;

	SimulatedLeaseTime(LeaseSimulation simulation, SimulatedLeaseInstance instance) {
		this.simulation = simulation;
		this.instance = instance;
		this.beginning = simulation.random.nextLong();
		this.drift = simulation.random.nextInt(20_001) - 10_000;
	}

	/** Return how many tasks the timer has. */
	int planned() {
		return this.planned;
	}

	@Override
	public long nanoTime() {
		long now = this.simulation.now();
		return this.beginning + now + now / 1000 * this.drift / 1000;
	}

	private long length(long nanos) {
		return nanos - nanos / 1000 * this.drift / 1000 + 1000;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		if (this.closed) {
			throw new RejectedExecutionException();
		}
		failWithoutMemory();
		this.planned++;
		Due due = new Due(task);
		due.event = this.simulation.at(this.simulation.now() + length(nanos), this.instance, "timer",
				due::runUnlessClosed);
		return due;
	}

	@Override
	public void repeat(Runnable task, long nanos) {
		Event[] event = new Event[1];
		event[0] = this.simulation.at(this.simulation.now() + length(nanos), this.instance, "watch", () -> {
			if (!this.closed) {
				task.run();
				this.simulation.again(event[0], this.simulation.now() + length(nanos));
			}
		});
	}

	private void failWithoutMemory() {
		if (this.simulation.strikes(Fault.NO_MEMORY, this.instance)) {
			throw LeaseSimulation.NO_MEMORY;
		}
	}

	@Override
	public ExecutorService threads(int size) {
		return new Threads("worker", size, false);
	}

	@Override
	public ExecutorService thread() {
		return new Threads("timer", 1, true);
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		this.simulation.pass(length(nanos), answer::isDone);
		return answer.get(0, TimeUnit.NANOSECONDS);
	}

	@Override
	public long random(long bound) {
		return this.simulation.random.nextLong(bound);
	}

	@Override
	public void close() {
		this.closed = true;
	}

	/**
	 * A task of the timer. What it throws ends with it, as in the timer of the system.
	 */
	private final class Due extends FutureTask<@Nullable Void> {

		private @Nullable Event event;

		Due(Runnable task) {
			super(task, null);
		}

		void runUnlessClosed() {
			if (!SimulatedLeaseTime.this.closed) {
				run();
			}
		}

		@Override
		protected void done() {
			SimulatedLeaseTime.this.planned--;
			if (this.event != null) {
				this.event.cancelled = true;
			}
		}

	}

	/**
	 * Threads that run their tasks on the thread of the simulation.
	 */
	private final class Threads extends AbstractExecutorService {

		private final String name;

		private final int size;

		private final boolean started;

		private final Queue<Runnable> queue = new ArrayDeque<>();

		private int busy;

		private boolean shutdown;

		Threads(String name, int size, boolean started) {
			this.name = name;
			this.size = size;
			this.started = started;
		}

		@Override
		public void execute(Runnable task) {
			LeaseSimulation simulation = SimulatedLeaseTime.this.simulation;
			if (this.shutdown) {
				throw new RejectedExecutionException();
			}
			failWithoutMemory();
			if (!this.started && simulation.strikes(Fault.NO_THREAD, SimulatedLeaseTime.this.instance)) {
				throw LeaseSimulation.NO_MEMORY;
			}
			this.queue.add(task);
			runSoon();
		}

		private void runSoon() {
			LeaseSimulation simulation = SimulatedLeaseTime.this.simulation;
			long delay = simulation.chance(4) ? simulation.random.nextLong(5 * LeaseSimulation.MILLIS) : 0;
			simulation.at(simulation.now() + delay, SimulatedLeaseTime.this.instance, this.name, this::runNext);
		}

		private void runNext() {
			if (this.busy >= this.size || this.queue.isEmpty()) {
				return;
			}
			this.busy++;
			try {
				this.queue.remove().run();
			}
			catch (Throwable ex) {
				SimulatedLeaseTime.this.simulation.checks.violated("thread ended: " + this.name + " by " + ex);
			}
			finally {
				this.busy--;
			}
			if (!this.queue.isEmpty()) {
				runSoon();
			}
		}

		@Override
		public void shutdown() {
			this.shutdown = true;
		}

		@Override
		public List<Runnable> shutdownNow() {
			this.shutdown = true;
			List<Runnable> left = new ArrayList<>(this.queue);
			this.queue.clear();
			return left;
		}

		@Override
		public boolean isShutdown() {
			return this.shutdown;
		}

		@Override
		public boolean isTerminated() {
			return this.shutdown && this.busy == 0 && this.queue.isEmpty();
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			SimulatedLeaseTime.this.simulation.pass(length(unit.toNanos(timeout)), this::isTerminated);
			return isTerminated();
		}

	}

}
