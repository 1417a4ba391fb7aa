package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests that locks of Kazoo and of Interlock exclude and share each other as
 * {@code docs/internals/other-clients.md} says, one step after the other.
 */
@ExtendWith(SharedServer.class)
@Timeout(60)
@Deep
class KazooTests {

	/** What Kazoo has to be told so that it waits for every node of ours. */
	private static final String OUR_NODES = "-lock- __WRIT__ __READ__";

	/** What a reader of Kazoo has to be told so that it waits for our writers. */
	private static final String OUR_WRITERS = "-lock- __WRIT__";

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofSeconds(30);

	/** Longer than a node, a watch and an answer take. */
	private static final Duration WHILE = Duration.ofMillis(300);

	private final LocalServer server;

	private final String name = "kazoo-" + UUID.randomUUID();

	private final LockRequest write = LockRequest.exclusive(this.name).withWaitTime(LONG);

	private final LockRequest read = LockRequest.shared(this.name).withWaitTime(LONG);

	private final String path = LocalServer.pathOf(this.write);

	private final List<AutoCloseable> started = new ArrayList<>();

	KazooTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void needsKazoo() {
		assumeTrue(KazooProcess.isInstalled(), KazooProcess.MISSING);
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable client : this.started) {
			client.close();
		}
	}

	private KazooWorker kazoo() throws IOException {
		KazooWorker kazoo = KazooWorker.connectedTo(this.server.connectString(), SESSION);
		this.started.add(kazoo);
		return kazoo;
	}

	private Instance ours(Peers peers) {
		Instance ours = Instance.with(this.server.connectString(), SESSION,
				Instance.settings(Recipe.PIPELINED, Map.of(this.name, peers)));
		this.started.add(ours);
		return ours;
	}

	@ParameterizedTest
	@CsvSource({ "Lock, MUTEX", "Lock, READ_WRITE", "WriteLock, MUTEX", "WriteLock, READ_WRITE" })
	void writerOfKazooKeepsOursOut(String recipe, Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		Instance ours = ours(peers);
		kazoo.acquire(recipe, this.path, OUR_NODES);
		assertThat(isFree(ours, this.write)).isFalse();
		assertThat(isFree(ours, this.read)).isFalse();
		Background<Boolean> waiter = Background.start(() -> isGranted(ours, this.write));
		awaitContenders(2);
		await().during(WHILE).until(waiter::isRunning);
		kazoo.release();
		assertThat(waiter.join()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "Lock, MUTEX", "Lock, READ_WRITE", "WriteLock, MUTEX", "WriteLock, READ_WRITE" })
	void ourWriterKeepsThoseOfKazooOut(String recipe, Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		try (LockHandle held = ours(peers).template().acquire(this.write)) {
			assertThat(held.isValid()).isTrue();
			assertThat(kazoo.tryAcquire(recipe, this.path, OUR_NODES)).isFalse();
			assertThat(kazoo.tryAcquire("ReadLock", this.path, OUR_WRITERS)).isFalse();
			kazoo.beginToAcquire(recipe, this.path, OUR_NODES);
			awaitContenders(2);
			await().during(WHILE).until(kazoo::isSilent);
		}
		kazoo.awaitHeld();
	}

	/**
	 * Why Kazoo has to be told the names of our nodes.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "Lock", "WriteLock", "ReadLock" })
	void kazooThatDoesNotKnowOurNodesIsGrantedALockThatIsHeld(String recipe) throws Exception {
		try (LockHandle held = ours(Peers.MUTEX).template().acquire(this.write)) {
			assertThat(held.isValid()).isTrue();
			assertThat(kazoo().tryAcquire(recipe, this.path, "")).isTrue();
		}
	}

	@Test
	void readersOfBothShare() throws Exception {
		kazoo().acquire("ReadLock", this.path, OUR_WRITERS);
		try (LockHandle held = ours(Peers.MUTEX).template().acquire(this.read)) {
			assertThat(held.isValid()).isTrue();
			assertThat(kazoo().tryAcquire("ReadLock", this.path, OUR_WRITERS)).isTrue();
			assertThat(this.server.contenders(this.write)).hasSize(3);
		}
	}

	@ParameterizedTest
	@EnumSource
	void ourWriterWaitsForReadersOfBoth(Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		Instance ours = ours(peers);
		kazoo.acquire("ReadLock", this.path, OUR_WRITERS);
		LockHandle reader = ours.template().acquire(this.read).detach();
		assertThat(isFree(ours, this.write)).isFalse();
		Background<Boolean> writer = Background.start(() -> isGranted(ours, this.write));
		awaitContenders(3);
		reader.close();
		await().during(WHILE).until(writer::isRunning);
		kazoo.release();
		assertThat(writer.join()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void writerOfKazooWaitsForReadersOfBoth(Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		KazooWorker reader = kazoo();
		LockHandle held = ours(peers).template().acquire(this.read);
		reader.acquire("ReadLock", this.path, OUR_WRITERS);
		assertThat(kazoo.tryAcquire("WriteLock", this.path, OUR_NODES)).isFalse();
		kazoo.beginToAcquire("WriteLock", this.path, OUR_NODES);
		awaitContenders(3);
		reader.release();
		await().during(WHILE).until(kazoo::isSilent);
		held.close();
		kazoo.awaitHeld();
	}

	@ParameterizedTest
	@EnumSource
	void readersWaitBehindAWriterThatWaits(Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		KazooWorker reader = kazoo();
		Instance ours = ours(peers);
		kazoo.acquire("ReadLock", this.path, OUR_WRITERS);
		Background<Boolean> writer = Background.start(() -> isGranted(ours, this.write));
		awaitContenders(2);
		assertThat(reader.tryAcquire("ReadLock", this.path, OUR_WRITERS)).isFalse();
		assertThat(isFree(ours, this.read)).isFalse();
		kazoo.release();
		assertThat(writer.join()).isTrue();
		awaitContenders(0);
		assertThat(reader.tryAcquire("ReadLock", this.path, OUR_WRITERS)).isTrue();
	}

	/**
	 * A defect of Kazoo, which its page of issues has as number 649: a reader waits for
	 * writers behind it, which wait for the reader.
	 */
	@Test
	void waitingReaderOfKazooBefore29IsStuckWithAWriterBehindIt() throws Exception {
		assumeTrue(KazooProcess.isBefore(2, 9), "The reader of Kazoo is not stuck from 2.9 on");
		KazooWorker kazoo = kazoo();
		Instance ours = ours(Peers.MUTEX);
		LockHandle first = ours.template().acquire(this.write).detach();
		kazoo.beginToAcquire("ReadLock", this.path, OUR_WRITERS);
		awaitContenders(2);
		Background<Boolean> second = Background.start(() -> isGranted(ours, this.write));
		awaitContenders(3);
		first.close();
		awaitContenders(2);
		await().during(Duration.ofSeconds(1)).until(() -> kazoo.isSilent() && second.isRunning());
		kazoo.kill();
		await().atMost(LONG).until(() -> !second.isRunning());
		assertThat(second.join()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Lock", "WriteLock", "ReadLock" })
	void lockOfAKilledKazooIsGrantedWhenItsSessionHasEnded(String recipe) throws Exception {
		KazooWorker kazoo = kazoo();
		Instance ours = ours(Peers.MUTEX);
		kazoo.acquire(recipe, this.path, OUR_WRITERS);
		Background<Boolean> waiter = Background.start(() -> isGranted(ours, this.write));
		awaitContenders(2);
		kazoo.kill();
		await().atMost(LONG).until(() -> !waiter.isRunning());
		assertThat(waiter.join()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void kazooIsGrantedALockWhoseSessionHasEnded(Peers peers) throws Exception {
		KazooWorker kazoo = kazoo();
		Instance ours = ours(peers);
		LockHandle lost = ours.template().acquire(this.write);
		kazoo.beginToAcquire("Lock", this.path, OUR_NODES);
		awaitContenders(2);
		ours.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		kazoo.awaitHeld();
		await().until(lost::isLost);
		lost.close();
	}

	private static boolean isFree(Instance instance, LockRequest request) {
		return isGranted(instance, request.withWaitTime(Duration.ZERO));
	}

	private static boolean isGranted(Instance instance, LockRequest request) {
		Optional<LockHandle> handle = instance.template().tryAcquire(request);
		handle.ifPresent(LockHandle::close);
		return handle.isPresent();
	}

	private void awaitContenders(int count) {
		await().until(() -> this.server.contenders(this.write).size() == count);
	}

}
