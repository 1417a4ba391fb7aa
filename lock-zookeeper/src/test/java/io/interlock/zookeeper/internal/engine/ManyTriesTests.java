package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for thousands of callers that try the same lock at the same moment: each is told
 * of contention, and none of an outage.
 */
@Timeout(90)
@ExtendWith(SharedServer.class)
class ManyTriesTests {

	private static final int TRIES = 2000;

	private final LocalServer server;

	ManyTriesTests(LocalServer server) {
		this.server = server;
	}

	@Test
	void oneOfManyTriesOfAFreeLockIsGranted(TestInfo test) throws Exception {
		LockRequest request = LockRequest.exclusive(test.getDisplayName());
		try (Instance instance = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30),
				QueueSettings.defaults())) {
			instance.template().acquire(request).close();
			List<CompletableFuture<Optional<LockHandle>>> tries = IntStream.range(0, TRIES)
				.mapToObj((number) -> instance.template(Duration.ofSeconds(50)).tryAcquireAsync(request))
				.toList();
			CompletableFuture.allOf(tries.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
			List<LockHandle> granted = tries.stream().flatMap((each) -> each.join().stream()).toList();
			assertThat(granted).singleElement().satisfies(LockHandle::verify);
			granted.forEach(LockHandle::close);
			await().untilAsserted(() -> assertThat(this.server.contenders(request)).isEmpty());
		}
	}

}
