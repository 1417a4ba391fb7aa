package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what shared and exclusive holders of one lock allow each other.
 */
@ExtendWith(SharedServer.class)
class SharedModeTests {

	private final LocalServer server;

	private final List<String> order = new CopyOnWriteArrayList<>();

	private LockRequest shared;

	private LockRequest exclusive;

	private Instance one;

	private Instance two;

	SharedModeTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.shared = LockRequest.shared(test.getDisplayName());
		this.exclusive = LockRequest.exclusive(test.getDisplayName());
		this.one = Instance.connectedTo(this.server.connectString());
		this.two = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.one.close();
		this.two.close();
	}

	@Test
	void sharedHoldersAreTogether() {
		try (LockHandle first = this.one.template().acquire(this.shared);
				LockHandle second = this.two.template().acquire(this.shared)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
			assertThat(second.mode()).isEqualTo(LockMode.SHARED);
			assertThat(second.contended()).isFalse();
		}
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void sharedHolderExcludesExclusiveOnes() {
		try (LockHandle held = this.one.template().acquire(this.shared)) {
			assertThat(this.two.template().tryAcquire(this.exclusive.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void exclusiveHolderExcludesSharedOnes() {
		try (LockHandle held = this.one.template().acquire(this.exclusive)) {
			assertThat(this.two.template().tryAcquire(this.shared.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void writerComesBeforeReadersThatCameAfterIt() throws Exception {
		LockHandle reader = this.one.template().acquire(this.shared);
		CompletableFuture<LockHandle> writer = inQueue(this.two, this.exclusive, "writer", 2);
		CompletableFuture<LockHandle> lateReader = inQueue(this.one, this.shared, "reader", 3);
		assertThat(this.order).isEmpty();
		reader.close();
		writer.get(10, TimeUnit.SECONDS).close();
		lateReader.get(10, TimeUnit.SECONDS).close();
		assertThat(this.order).containsExactly("writer", "reader");
	}

	@Test
	@Proves(Promise.EXCLUSION)
	@Proves(Promise.THE_FENCING_TOKEN)
	void exclusiveHoldersComeInTheOrderInWhichTheyAsked() throws Exception {
		LockHandle held = this.one.template().acquire(this.exclusive);
		CompletableFuture<LockHandle> first = inQueue(this.two, this.exclusive, "first", 2);
		CompletableFuture<LockHandle> second = inQueue(this.one, this.exclusive, "second", 3);
		CompletableFuture<LockHandle> third = inQueue(this.two, this.exclusive, "third", 4);
		held.close();
		long token = held.fencingToken();
		for (CompletableFuture<LockHandle> each : List.of(first, second, third)) {
			try (LockHandle granted = each.get(10, TimeUnit.SECONDS)) {
				assertThat(granted.fencingToken()).isGreaterThan(token);
				assertThat(granted.contended()).isTrue();
				token = granted.fencingToken();
			}
		}
		assertThat(this.order).containsExactly("first", "second", "third");
	}

	/**
	 * Ask for a lock and return when its node is in the queue.
	 */
	private CompletableFuture<LockHandle> inQueue(Instance instance, LockRequest request, String name, int contenders) {
		CompletableFuture<LockHandle> granted = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				LockHandle handle = instance.template().acquire(request);
				this.order.add(name);
				granted.complete(handle);
			}
			catch (RuntimeException ex) {
				granted.completeExceptionally(ex);
			}
		});
		thread.start();
		await().until(() -> this.server.contenders(request).size() == contenders);
		return granted;
	}

}
