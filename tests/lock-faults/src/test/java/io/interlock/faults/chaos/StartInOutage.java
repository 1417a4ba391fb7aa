package io.interlock.faults.chaos;

import java.time.Duration;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.check.Violation;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.testsupport.proxy.TcpProxy;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Starts an instance while it does not reach the server. It has to stay alive, and to use
 * locks when the server is reached.
 */
final class StartInOutage {

	static final Fault FAULT = new Fault("STARTED_IN_OUTAGE", Lane.WORKERS, 2000, 7000, StartInOutage::start);

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private StartInOutage() {
	}

	private static void start(Site site) throws InterruptedException {
		WorkerProcess worker = site.worker();
		site.during(worker.toString(), () -> {
			worker.kill();
			worker.links().forEach(TcpProxy::refuse);
			worker.restart();
		}, () -> worker.links().forEach(TcpProxy::heal));
		try {
			Awaitility.await().atMost(PATIENCE).until(() -> !worker.tell("probe", ANSWER_TIMEOUT).isEmpty());
		}
		catch (ConditionTimeoutException ex) {
			site.history().add(new Violation("start", worker + " was started in an outage, and does not answer"));
		}
	}

}
