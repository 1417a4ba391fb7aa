package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ZooKeeperLockProvider} on a real server.
 */
@ExtendWith(SharedServer.class)
class ZooKeeperLockProviderTests {

	private final LocalServer server;

	ZooKeeperLockProviderTests(LocalServer server) {
		this.server = server;
	}

	@Test
	void exclusiveLockExcludesOtherInstances() {
		try (Instance one = Instance.connectedTo(this.server.connectString());
				Instance two = Instance.connectedTo(this.server.connectString())) {
			LockRequest request = LockRequest.exclusive("orders").withKey(42).withWaitTime(Duration.ZERO);
			try (LockHandle held = one.template().acquire(request)) {
				assertThat(held.isValid()).isTrue();
				assertThat(held.fencingToken()).isPositive();
				assertThat(two.template().tryAcquire(request)).isEmpty();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> two.template().acquire(request.withWaitTime(Duration.ofSeconds(5))));
				held.verify();
			}
			Optional<LockHandle> next = two.template().tryAcquire(request);
			assertThat(next).isPresent();
			next.get().close();
		}
	}

	@Test
	void attemptThatIsRefusedEndsNoUseOfItsLock() {
		LockRequest request = LockRequest.exclusive("refused");
		IdleParents parents = ParentReaper.idleParents();
		try (Instance instance = Instance.with(this.server.connectString(), Instance.settings(), parents)) {
			instance.provider().close();
			parents.use(LocalServer.pathOf(request));
			LockAttempt refused = instance.provider().attempt(request, LockCaller.current());
			assertThat(refused.outcome()).isCompletedExceptionally();
			refused.abandon();
			assertThat(parents.isUsed(LocalServer.pathOf(request))).isTrue();
		}
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void countsToTheEndWithTwoClientsAndEightThreadsEach() throws Exception {
		UnguardedCounter counter = new UnguardedCounter();
		LockRequest request = LockRequest.exclusive("counter").withWaitTime(Duration.ofSeconds(60));
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance one = Instance.connectedTo(this.server.connectString());
				Instance two = Instance.connectedTo(this.server.connectString())) {
			for (int thread = 0; thread < 16; thread++) {
				Instance instance = (thread % 2 == 0) ? one : two;
				tasks.add(() -> {
					for (int i = 0; i < 200; i++) {
						instance.template().executeWithoutResult(request, (lock) -> counter.increment());
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(counter.value()).isEqualTo(3200);
	}

}
