package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a process that stops while it holds a lock: what garbage collection, a
 * scheduler or a hypervisor does to every process one day.
 */
@ExtendWith(SharedServer.class)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no SIGSTOP")
class PauseTests {

	private static final Duration SESSION = Duration.ofSeconds(3);

	private static final Duration LONG_SESSION = Duration.ofSeconds(15);

	private static final Duration BOUND = Duration.ofSeconds(30);

	private final LocalServer server;

	PauseTests(LocalServer server) {
		this.server = server;
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_PROCESS_IS_PAUSED)
	void firstReadAfterAPauseLongerThanTheSessionIsFalse() throws Exception {
		// A busy machine may pause the worker before, but not for so long.
		try (JavaProcess worker = holder("long-pause", SESSION, SESSION)) {
			worker.pause(SESSION.plusMillis(1200));
			assertThat(worker.await(PausedWorker.AFTER_PAUSE, BOUND)).isEqualTo("false");
		}
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_PROCESS_IS_PAUSED)
	void pauseWellInsideTheSessionChangesNothing() throws Exception {
		try (JavaProcess worker = holder("short-pause", LONG_SESSION, LONG_SESSION.dividedBy(12))) {
			worker.pause(LONG_SESSION.dividedBy(6));
			assertThat(worker.await(PausedWorker.AFTER_PAUSE, BOUND)).isEqualTo("true");
		}
	}

	private JavaProcess holder(String lock, Duration session, Duration longPause) throws Exception {
		JavaProcess worker = JavaProcess.start(PausedWorker.class, null, JavaProcess.quickStart("64m"),
				List.of(this.server.connectString(), session.toString(), lock, longPause.toString()));
		try {
			worker.await(PausedWorker.HELD, BOUND);
			return worker;
		}
		catch (Throwable ex) {
			worker.close();
			throw ex;
		}
	}

}
