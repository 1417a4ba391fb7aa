package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.LockHandles;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.ClientHandle;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Verification}.
 */
@ExtendWith(SharedServer.class)
class VerificationTests {

	private static final Duration VERIFY_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * Its client gives up a silent connection after two thirds of it.
	 */
	private static final Duration SESSION = Duration.ofSeconds(20);

	private static final int TRIES = 20;

	private final LocalServer server;

	private LockRequest request;

	private ZooKeeperProxy proxy;

	private Instance instance;

	VerificationTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.request = LockRequest.exclusive(test.getDisplayName());
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.with(this.proxy.connectString(), SESSION,
				new ZooKeeperLockSettings(Instance.ROOT, "test", VERIFY_TIMEOUT, Recipe.PIPELINED, Map.of(), false));
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
		this.proxy.close();
	}

	@Test
	@Proves(Promise.VALIDITY)
	void lockThatIsHeldIsConfirmed() {
		try (LockHandle held = this.instance.template().acquire(this.request)) {
			held.verify();
			assertThat(held.isValid()).isTrue();
		}
	}

	/**
	 * A hold of more than 100 ms is watched, so that its loss may be known before anybody
	 * asks, and a pause costs a beat, which looks the same. Such a try does not count.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.A_NODE_IS_DELETED)
	void deletedNodeIsALoss() throws Exception {
		long took;
		int tries = 0;
		do {
			long startedAt = System.nanoTime();
			LockHandle held = this.instance.template().acquire(this.request);
			this.server.observer().delete().deletingChildrenIfNeeded().forPath(LocalServer.pathOf(this.request));
			this.proxy.forget();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::verify)
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(this.request.id()));
			took = System.nanoTime() - startedAt;
			assertThat(held.isValid()).isFalse();
			held.close();
			tries++;
		}
		while (took > TimeUnit.MILLISECONDS.toNanos(100) && tries < TRIES);
		assertThat(this.proxy.count(Operation.MULTI)).isEqualTo(1);
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.PACKETS_ARE_SWALLOWED)
	void silenceIsUnavailableWithinTheTimeout() {
		LockHandle held = this.instance.template().acquire(this.request);
		this.proxy.blackHole();
		long startedAt = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(held::verify)
			.withMessageContaining("could not be verified");
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(VERIFY_TIMEOUT,
				VERIFY_TIMEOUT.plusSeconds(5));
		this.proxy.heal();
		held.verify();
		held.close();
	}

	@Test
	void refusedConnectionIsUnavailableWithinTheTimeout() {
		LockHandle held = this.instance.template().acquire(this.request);
		this.proxy.refuse();
		long startedAt = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(held::verify);
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(VERIFY_TIMEOUT,
				VERIFY_TIMEOUT.plusSeconds(5));
		this.proxy.heal();
		await().until(held::isValid);
		held.verify();
		held.close();
	}

	@Test
	void closedClientIsUnavailable() throws Exception {
		SessionMonitor closed = mock(SessionMonitor.class);
		NodeGrant held = mock(NodeGrant.class);
		given(closed.awaitConnected(anyLong())).willThrow(new ClientClosedException());
		given(held.request()).willReturn(this.request);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new Verification(closed, VERIFY_TIMEOUT).verify(List.of(held)))
			.withMessage("Lock %s could not be verified: the ZooKeeper client is closed", this.request.id())
			.withCauseInstanceOf(ClientClosedException.class);
	}

	@Test
	void closedHandleCannotBeVerified() {
		LockHandle held = this.instance.template().acquire(this.request);
		held.close();
		assertThatIllegalStateException().isThrownBy(held::verify);
	}

	/**
	 * A hold of more than 100 ms is watched, and a beat of its session looks like a
	 * verification. Such a try does not count.
	 */
	@Test
	@Proves(Promise.VALIDITY)
	void locksThatAreHeldTogetherAreVerifiedInOneTransaction() {
		long took;
		int tries = 0;
		do {
			long startedAt = System.nanoTime();
			try (LockHandles held = this.instance.template().acquireAll(several())) {
				this.proxy.forget();
				held.verify();
				took = System.nanoTime() - startedAt;
			}
			tries++;
		}
		while ((took > TimeUnit.MILLISECONDS.toNanos(100) || this.proxy.count(Operation.MULTI) > 1) && tries < TRIES);
		assertThat(this.proxy.count(Operation.MULTI)).isEqualTo(1);
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.A_NODE_IS_DELETED)
	void oneOfSeveralLocksThatIsLostIsNamed() throws Exception {
		List<LockRequest> several = several();
		LockRequest lost = several.get(2);
		try (LockHandles held = this.instance.template().acquireAll(several)) {
			this.server.observer().delete().deletingChildrenIfNeeded().forPath(LocalServer.pathOf(lost));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::verify)
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(lost.id()));
			assertThat(held.handles()).allMatch((handle) -> handle.isLost() == handle.id().equals(lost.id()));
		}
	}

	@Test
	void oneOfSeveralHandlesThatIsClosedCannotBeVerified() {
		try (LockHandles held = this.instance.template().acquireAll(several())) {
			held.handles().get(1).close();
			assertThatIllegalStateException().isThrownBy(held::verify)
				.withMessageContaining("%s was released", held.handles().get(1).id());
		}
	}

	@Test
	void silenceAboutSeveralLocksNamesOneAndCountsTheOthers() {
		try (LockHandles held = this.instance.template().acquireAll(several())) {
			this.proxy.blackHole();
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(held::verify)
				.withMessageContaining("Lock %s and 4 others could not be verified", several().get(0).id());
			this.proxy.heal();
			held.verify();
		}
	}

	private List<LockRequest> several() {
		return IntStream.range(0, 5).mapToObj((i) -> this.request.withKey("key-" + i)).toList();
	}

	@Test
	void handleThatIsClosedDuringItsVerificationCannotBeVerified() throws Exception {
		Engine engine = mock(Engine.class);
		given(engine.deletions()).willReturn(mock(Deletions.class));
		given(engine.deletions().delete(anyString())).willReturn(new CompletableFuture<>());
		NodeGrant closed = grant(engine, this.request);
		SessionMonitor monitor = answering((answer) -> {
			closed.release();
			answer.processResult(0, "", null, List.of(new OpResult.ErrorResult(Code.NONODE.intValue())));
		});
		assertThatIllegalStateException()
			.isThrownBy(() -> new Verification(monitor, VERIFY_TIMEOUT).verify(List.of(closed)))
			.withMessage("Lock %s was released already", this.request.id());
	}

	@Test
	void lockThatMayNotBeVerifiedIsNamed() throws Exception {
		List<NodeGrant> holds = several().stream().map((lock) -> grant(mock(Engine.class), lock)).toList();
		SessionMonitor monitor = answering((answer) -> answer.processResult(0, "", null,
				List.of(new OpResult.CheckResult(), new OpResult.ErrorResult(Code.NOAUTH.intValue()))));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new Verification(monitor, VERIFY_TIMEOUT).verify(holds))
			.withMessage("Lock %s and 4 others could not be verified: the servers answer NOAUTH",
					holds.get(1).request().id())
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(holds.get(1).request().id()));
	}

	@Test
	void serverThatThrottlesIsAskedAgainAfterAPause() throws Exception {
		AtomicInteger requests = new AtomicInteger();
		SessionMonitor monitor = answering((answer) -> {
			requests.incrementAndGet();
			answer.processResult(Code.THROTTLEDOP.intValue(), "", null, null);
		});
		List<NodeGrant> holds = List.of(grant(mock(Engine.class), this.request));
		Verification verification = new Verification(monitor, Duration.ofMillis(500));
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> verification.verify(holds));
		assertThat(requests.get()).as("one every 50 ms at most").isBetween(1, 11);
	}

	private static NodeGrant grant(Engine engine, LockRequest request) {
		return new NodeGrant(request, false, new LockNode("/lock/uuid-lock-0000000000", 1, 1, 1, 0, 0),
				new SessionLease(1, SESSION, System.nanoTime()), engine, null);
	}

	private static SessionMonitor answering(Consumer<MultiCallback> answer) throws Exception {
		ZooKeeper zooKeeper = mock(ZooKeeper.class);
		willAnswer((call) -> {
			answer.accept(call.getArgument(1));
			return null;
		}).given(zooKeeper).multi(any(), any(), any());
		SessionMonitor monitor = mock(SessionMonitor.class);
		given(monitor.awaitConnected(anyLong())).willReturn(true);
		given(monitor.status()).willReturn(new SessionStatus(State.CONNECTED, Instant.now(), null, 0, 0, zooKeeper));
		ClientHandle handle = mock(ClientHandle.class);
		given(monitor.handle()).willReturn(handle);
		given(handle.absolute(anyString())).willAnswer((call) -> call.getArgument(0));
		return monitor;
	}

	@Test
	void interruptEndsTheVerificationAndIsKept() throws Exception {
		LockHandle held = this.instance.template().acquire(this.request);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(held::verify);
		assertThat(Thread.interrupted()).isTrue();
		held.close();
	}

	@Test
	void closedClientIsALoss() throws Exception {
		LockHandle held = this.instance.template().acquire(this.request);
		this.proxy.blackHole();
		CompletableFuture<Void> verification = CompletableFuture.runAsync(held::verify);
		this.instance.provider().close();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> verification.get(15, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockException.class);
		this.proxy.heal();
		held.close();
	}

	@Test
	void clientThatIsClosedWhileAVerificationWaitsForTheConnectionIsALoss() throws Exception {
		ZooKeeperLockSettings patient = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(10),
				Recipe.PIPELINED, Map.of(), false);
		try (Instance closed = Instance.with(this.proxy.connectString(), Duration.ofSeconds(10), patient)) {
			LockHandle held = closed.template().acquire(this.request);
			this.proxy.refuse();
			await().until(() -> closed.provider().session().state() == State.SUSPENDED);
			CompletableFuture<Throwable> outcome = new CompletableFuture<>();
			Thread verifier = new Thread(() -> outcome.complete(catchThrowable(held::verify)), "verifier");
			verifier.start();
			await().until(() -> verifier.getState() == Thread.State.TIMED_WAITING);
			closed.provider().close();
			assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(LockLostException.class);
			this.proxy.heal();
			held.close();
		}
	}

}
