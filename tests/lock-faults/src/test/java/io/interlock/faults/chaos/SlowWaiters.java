package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.testsupport.proxy.TcpProxy;

/**
 * Delays what all instances say to the server, except for that of the holder. Each step
 * of a waiter takes long then, and costs neither the holder nor the waiter a hold.
 */
final class SlowWaiters {

	static final Fault FAULT = new Fault("WAITERS_SLOW", Lane.LINKS, 4000, 9000, SlowWaiters::slow);

	private SlowWaiters() {
	}

	private static void slow(Site site) throws InterruptedException {
		WorkerProcess any = site.pick(site.workers());
		WorkerProcess holder = site.holder().orElse(any);
		Duration delay = Duration.ofMillis(25 + site.random(75));
		List<WorkerProcess> waiters = site.workers().stream().filter((worker) -> worker != holder).toList();
		List<TcpProxy> links = waiters.stream().flatMap((worker) -> worker.links().stream()).toList();
		site.during(waiters.stream().map(WorkerProcess::toString).collect(Collectors.joining(", ", "lines of ", "")),
				() -> links.forEach((link) -> link.delay(delay)), () -> links.forEach(TcpProxy::heal));
	}

}
