package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * What callers that are refused are told of others, on a server.
 */
@Timeout(90)
@ExtendWith(SharedServer.class)
class RefusalOnZooKeeperTests {

	private static final Duration SESSION = Duration.ofSeconds(30);

	private static final int THREADS = 6;

	private static final int TRIES = 40;

	private final LocalServer server;

	RefusalOnZooKeeperTests(LocalServer server) {
		this.server = server;
	}

	static Stream<Arguments> requests() {
		return Stream.of(argumentSet("writers", List.of(LockRequest.exclusive("alone-writers"))),
				argumentSet("readers with writers",
						List.of(LockRequest.exclusive("alone-mixed"), LockRequest.shared("alone-mixed"))),
				argumentSet("permits", List.of(LockRequest.semaphore("alone-permits", 2))));
	}

	@ParameterizedTest
	@MethodSource("requests")
	void oneInstanceAloneIsNotToldOfAnotherOne(List<LockRequest> requests) throws Exception {
		Queue<String> refusals = new ConcurrentLinkedQueue<>();
		try (Instance other = instance(); Instance alone = instance()) {
			for (LockRequest request : requests) {
				other.template().acquire(request).close();
			}
			UnguardedCounter.runTogether(IntStream.range(0, THREADS)
				.<Callable<?>>mapToObj((thread) -> () -> use(alone, requests.get(thread % requests.size()), refusals))
				.toList());
		}
		assertThat(refusals).isNotEmpty()
			.noneMatch((told) -> told.contains("held by another instance"))
			.noneMatch((told) -> told.contains("another instance holds it or asked first"))
			.noneMatch((told) -> told.contains("another instance asked first"));
	}

	private static Object use(Instance instance, LockRequest request, Queue<String> refusals) {
		for (int i = 0; i < TRIES; i++) {
			try {
				instance.template().acquire(request.withWaitTime(Duration.ZERO)).close();
			}
			catch (LockNotAcquiredException ex) {
				refusals.add(String.valueOf(ex.getMessage()));
			}
		}
		return refusals;
	}

	static Stream<LockRequest> held() {
		return Stream.of(LockRequest.exclusive("held"), LockRequest.semaphore("held-permit", 1))
			.map((request) -> request.withWaitTime(Duration.ofSeconds(1)));
	}

	@ParameterizedTest
	@MethodSource("held")
	void holdOfAnotherInstanceIsTold(LockRequest request) {
		try (Instance holder = instance();
				Instance refused = instance();
				LockHandle held = holder.template().acquire(request)) {
			for (Duration waitTime : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> refused.template().acquire(request.withWaitTime(waitTime)))
					.withMessageContaining("held by another instance");
			}
			assertThat(held.isValid()).isTrue();
		}
	}

	private Instance instance() {
		return Instance.queueing(this.server.connectString(), SESSION, QueueSettings.defaults());
	}

}
