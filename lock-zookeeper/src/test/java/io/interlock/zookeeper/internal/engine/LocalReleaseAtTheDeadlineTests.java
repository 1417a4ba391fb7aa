package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.template.LockSnapshot;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a wait that ends just after a holder of the same instance has released, on a
 * server that answers.
 */
@ExtendWith(SharedServer.class)
@Timeout(120)
class LocalReleaseAtTheDeadlineTests {

	private static final int ROUNDS = 40;

	/** Of the rounds that are run until the deadline comes first in one of them. */
	private static final int MAX_ROUNDS = 400;

	private static final Duration WAIT_TIME = Duration.ofMillis(40);

	/**
	 * A caller that queues later than this may have waited for the servers for longer
	 * than for others.
	 */
	private static final Duration LATE = WAIT_TIME.dividedBy(4);

	private final LocalServer server;

	private Instance instance;

	LocalReleaseAtTheDeadlineTests(LocalServer server) {
		this.server = server;
	}

	private void connect(Peers peers) {
		// Nothing is handed over: each release is followed by a request of the waiter.
		this.instance = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.PIPELINED, Map.of("at-the-deadline", peers)),
				new QueueSettings(true, Map.of(), Duration.ZERO, Integer.MAX_VALUE, Integer.MAX_VALUE));
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
	}

	@ParameterizedTest
	@EnumSource(Peers.class)
	@Proves(Promise.THE_DEADLINE)
	void refusalIsContention(Peers peers) throws Exception {
		LockRequest request = LockRequest.exclusive("at-the-deadline").withKey(peers).withWaitTime(WAIT_TIME);
		connect(peers);
		int refused = 0;
		for (int round = 0; round < ROUNDS || (refused == 0 && round < MAX_ROUNDS); round++) {
			LockHandle held = this.instance.template().acquire(request.withWaitTime(Duration.ofSeconds(10)));
			Background<Boolean> waiter = Background.start(() -> {
				Optional<LockHandle> granted = this.instance.template().tryAcquire(request);
				granted.ifPresent(LockHandle::close);
				return granted.isPresent();
			});
			// On a busy machine the wait is over before this thread sees it.
			Spin.until(() -> isQueued() || !waiter.isRunning());
			Instant since = this.instance.heldLocks()
				.waiting()
				.stream()
				.findFirst()
				.map(LockSnapshot::since)
				.orElseGet(Instant::now);
			boolean late = Instant.now().isAfter(since.plus(LATE));
			Duration early = Duration.ofNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(3)));
			Instant release = since.plus(WAIT_TIME).minus(early);
			Spin.until(() -> late ? !waiter.isRunning() : Instant.now().isAfter(release));
			held.close();
			refused += (waiter.join() || late) ? 0 : 1;
		}
		assertThat(refused).as("rounds in which the deadline came first").isPositive();
	}

	/**
	 * Not only about to queue: a caller that is held up before it does has not met
	 * others.
	 */
	private boolean isQueued() {
		return this.instance.queue().queues().stream().anyMatch((queue) -> queue.waiting() > 0);
	}

}
