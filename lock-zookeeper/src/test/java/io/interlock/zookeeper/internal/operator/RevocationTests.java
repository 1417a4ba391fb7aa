package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspector;
import io.interlock.admin.StaleTokenException;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.internal.engine.Instance;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import io.interlock.zookeeper.internal.engine.UnguardedCounter;
import io.interlock.zookeeper.internal.node.LockPaths;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for requests to give a lock up, from {@link ZooKeeperLockRevoker} over the
 * {@link RevocationBoard} to the holders of another instance.
 */
@ExtendWith(SharedServer.class)
@Timeout(60)
class RevocationTests {

	private static final String BOARD = Instance.ROOT + RevocationBoard.NODE;

	private static final LockRequest REQUEST = LockRequest.exclusive("asked").withKey("a/b");

	private final LocalServer server;

	private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private Instance holder;

	private ZooKeeperLockRevoker revoker;

	RevocationTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() throws Exception {
		QueueSettings patient = new QueueSettings(true, Map.of(), Duration.ofMinutes(1), 1000, 1000);
		this.holder = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30), patient);
		this.opened.add(this.holder);
		this.holder.client().blockUntilConnected();
		Instance operator = instance();
		operator.client().blockUntilConnected();
		this.revoker = new ZooKeeperLockRevoker(operator.client(), Instance.ROOT, Instance.PATIENCE);
		watch(this.holder);
		// The answer to a later request of the session says that the watch is set.
		this.holder.client().checkExists().forPath(Instance.ROOT);
	}

	@AfterEach
	void disconnect() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
		if (this.server.observer().checkExists().forPath(BOARD) != null) {
			this.server.observer().delete().forPath(BOARD);
		}
	}

	@Test
	@Proves(Promise.OPERATORS)
	void holderIsAskedAndKeepsTheLockUntilItGivesItUp() throws Exception {
		LockHandle held = this.holder.template().acquire(REQUEST);
		listen(held, "asked");
		String path = LocalServer.pathOf(REQUEST) + "/" + this.server.contenders(REQUEST).get(0);
		byte[] record = this.server.observer().getData().forPath(path);
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> instance().template().acquire(REQUEST.withWaitTime(Duration.ofSeconds(30))));
		await().until(() -> this.server.contenders(REQUEST).size() == 2);
		ask(held.fencingToken(), null, "alice");
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("asked by alice");
		assertThat(held.isValid()).isTrue();
		held.verify();
		assertThat(this.server.observer().getData().forPath(path)).as("what the node says of its owner")
			.isEqualTo(record);
		assertThat(waiting).isNotDone();
		held.close();
		waiting.get(10, TimeUnit.SECONDS).close();
	}

	@Test
	@Proves(Promise.OPERATORS)
	void staleTokenAsksNoHolder() throws Exception {
		LockHandle earlier = this.holder.template().acquire(REQUEST);
		earlier.close();
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			listen(held, "asked");
			assertThat(held.fencingToken()).isGreaterThan(earlier.fencingToken());
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> ask(earlier.fencingToken(), null, "alice"));
			assertThat(this.server.observer().checkExists().forPath(BOARD)).isNull();
			assertThat(this.news).isEmpty();
		}
	}

	@Test
	@Proves(Promise.OPERATORS)
	void newerHolderOfTheSameTenureIsNotMeant() throws Exception {
		LockHandle first = this.holder.template().acquire(REQUEST);
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.holder.template().acquire(REQUEST));
		await().until(() -> this.holder.queue().queues().stream().anyMatch((queue) -> queue.waiting() == 1));
		first.close();
		LockHandle second = waiting.get(10, TimeUnit.SECONDS);
		assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
		assertThat(second.handoff()).isEqualTo(first.handoff() + 1);
		listen(second, "second asked");
		ask(first.fencingToken(), first.handoff(), "alice");
		ask(second.fencingToken(), second.handoff(), "bob");
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("second asked by bob");
		second.close();
	}

	@Test
	void holderOfAnotherLockIsNotAsked() throws Exception {
		try (LockHandle other = this.holder.template().acquire(LockRequest.exclusive("not-asked"));
				LockHandle held = this.holder.template().acquire(REQUEST)) {
			listen(other, "other asked");
			listen(held, "asked");
			ask(held.fencingToken(), null, "alice");
			assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("asked by alice");
			assertThat(this.news).isEmpty();
		}
	}

	@Test
	@Proves(Promise.OPERATORS)
	void eachRequestIsPassedOnOnce() throws Exception {
		CountDownLatch asked = new CountDownLatch(3);
		List<String> passedOn = new ArrayList<>();
		watch(this.holder, (meant, request) -> {
			synchronized (passedOn) {
				passedOn.add(request.requestedBy());
			}
			asked.countDown();
		});
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			for (String who : List.of("alice", "bob", "carol")) {
				ask(held.fencingToken(), null, who);
			}
			assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(passedOn).containsExactlyInAnyOrder("alice", "bob", "carol");
		}
	}

	@Test
	void requestsAtTheSameTimeAreAllKept() throws Exception {
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			List<Callable<?>> requests = new ArrayList<>();
			for (int i = 0; i < 5; i++) {
				String who = "operator-" + i;
				requests.add(() -> {
					ask(held.fencingToken(), null, who);
					return null;
				});
			}
			UnguardedCounter.runTogether(requests);
			assertThat(board()).extracting((line) -> line.request().requestedBy())
				.containsExactlyInAnyOrder("operator-0", "operator-1", "operator-2", "operator-3", "operator-4");
		}
	}

	@Test
	void onlyTheLastTwentyAreKept() throws Exception {
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			for (int i = 0; i < 23; i++) {
				ask(held.fencingToken(), i, "alice");
			}
			assertThat(board()).extracting(RevocationBoard.Line::handoff).hasSize(20).startsWith(3).endsWith(22);
		}
	}

	@Test
	void requestThatWasMadeBeforeTheWatchMeansItsHolderStill() throws Exception {
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			ask(held.fencingToken(), null, "alice");
			CompletableFuture<Boolean> meant = new CompletableFuture<>();
			watch(this.holder, (who, request) -> meant.complete(who.test(held)));
			assertThat(meant).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		}
	}

	@Test
	@Proves(value = Promise.OPERATORS, under = Fault.THE_SESSION_EXPIRES)
	void requestArrivesAfterTheSessionWasLost() throws Exception {
		CompletableFuture<String> asked = new CompletableFuture<>();
		watch(this.holder, (meant, request) -> asked.complete(request.requestedBy()));
		long session = this.holder.client().getZookeeperClient().getZooKeeper().getSessionId();
		this.holder.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			assertThat(this.holder.client().getZookeeperClient().getZooKeeper().getSessionId()).isNotEqualTo(session);
			ask(held.fencingToken(), null, "alice");
			assertThat(asked).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("alice");
		}
	}

	@Test
	void garbageOnTheBoardHurtsNobody() throws Exception {
		this.server.observer()
			.create()
			.creatingParentsIfNeeded()
			.forPath(BOARD, "{}\nnonsense\n{\"uuid\":1}\n".getBytes(StandardCharsets.UTF_8));
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			listen(held, "asked");
			ask(held.fencingToken(), null, "a\nb");
			assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("asked by a?b");
			assertThat(board()).hasSize(1);
		}
	}

	@Test
	void boardIsNoLock() throws Exception {
		try (LockHandle held = this.holder.template().acquire(REQUEST)) {
			ask(held.fencingToken(), null, "alice");
			LockInspector inspector = new ZooKeeperLockInspector(this.server.observer(), Instance.ROOT,
					Instance.PATIENCE);
			assertThat(inspector.locks(new LockInspector.Query(null, null, 0, 100, 10)).locks())
				.noneMatch((lock) -> lock.path().contains("revocations"));
			assertThat(LockPaths.nodeOf(new LockId(".revocations", null))).isNotEqualTo(".revocations");
		}
	}

	@Test
	void forgedRequestsForUnknownLocksStartNoThread() throws Exception {
		// Threads of former tests may be ending still.
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		LockHandle held = this.holder.template().acquire(REQUEST);
		listen(held, "asked");
		Instance other = instance();
		other.client().blockUntilConnected();
		BlockingQueue<String> passedOn = new LinkedBlockingQueue<>();
		watch(other, (meant, request) -> passedOn.add(request.requestedBy()));
		Stream<String> forged = IntStream.range(0, 19)
			.mapToObj((i) -> line("forged-" + i, "unknown", held.fencingToken(), "mallory"));
		String real = line("real", LockPaths.nodeOf(REQUEST.id()), held.fencingToken(), "alice");
		forge(Stream.concat(forged, Stream.of(real)));
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("asked by alice");
		assertThat(passedOn).isEmpty();
		assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
			.extracting(Thread::getName)
			.filteredOn((name) -> name.startsWith("interlock-worker-revocation"))
			.hasSizeLessThanOrEqualTo(1);
		held.close();
	}

	@Test
	void noMoreRequestsAreReadThanABoardKeeps() {
		byte[] flood = IntStream.range(0, 300)
			.mapToObj((i) -> line("uuid-" + i, "lock", i, "m"))
			.collect(Collectors.joining("\n"))
			.getBytes(StandardCharsets.UTF_8);
		assertThat(RevocationBoard.Line.parse(flood)).extracting(RevocationBoard.Line::uuid)
			.hasSize(20)
			.startsWith("uuid-280")
			.endsWith("uuid-299");
		assertThat(RevocationBoard.Line.parse(new byte[1 << 20])).isEmpty();
	}

	@Test
	void longRequestsAreNotRead() {
		String longText = "x".repeat(300);
		byte[] forged = String
			.join("\n", line(longText, "lock", 1, "m"), line("2", longText, 1, "m"),
					line("long uuid", "long lock", 1, "m").replace("long uuid", "\u6771".repeat(64))
						.replace("long lock", "\u6771".repeat(256))
						.replace("\"m\"", "\"" + "\u6771".repeat(200) + "\""),
					line("4", "lock", 1, "m") + " ".repeat(5000), line("5", "lock", 1, "m"))
			.getBytes(StandardCharsets.UTF_8);
		assertThat(RevocationBoard.Line.parse(forged)).extracting(RevocationBoard.Line::uuid).containsExactly("5");
	}

	@Test
	void boardThatAnotherClientFilledIsReplacedAndNotSentAgain() throws Exception {
		LockHandle held = this.holder.template().acquire(REQUEST);
		listen(held, "asked");
		forge(Stream.of(line("forged", "lock", 1, "m") + " ".repeat(900_000)));
		ask(held.fencingToken(), null, "alice");
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("asked by alice");
		assertThat(this.server.observer().getData().forPath(BOARD).length).isLessThan(1000);
		held.close();
	}

	@Test
	void closedWatchLeavesNothingBehind() throws Exception {
		// Watches of former tests may be ending still on the shared server.
		try (LocalServer own = new LocalServer(); Instance instance = Instance.connectedTo(own.connectString())) {
			instance.client().blockUntilConnected();
			long before = own.watches();
			RevocationBoard watch = new RevocationBoard(instance.client(), Instance.ROOT, null, (meant) -> true,
					(meant, request) -> {
					});
			watch.start();
			await().until(() -> own.watches() == before + 1);
			watch.close();
			await().until(() -> own.watches() == before);
		}
	}

	private synchronized Instance instance() {
		Instance instance = Instance.connectedTo(this.server.connectString());
		this.opened.add(instance);
		return instance;
	}

	private void watch(Instance instance) {
		watch(instance, instance.heldLocks()::requestRevocation);
	}

	private void forge(Stream<String> lines) throws Exception {
		byte[] data = lines.collect(Collectors.joining("\n")).getBytes(StandardCharsets.UTF_8);
		if (this.server.observer().checkExists().forPath(BOARD) == null) {
			this.server.observer().create().creatingParentsIfNeeded().forPath(BOARD, data);
		}
		else {
			this.server.observer().setData().forPath(BOARD, data);
		}
	}

	private static String line(String uuid, String lock, long token, String requestedBy) {
		return RevocationBoard.Line
			.text(new RevocationBoard.Line(uuid, lock, token, null, new RevocationRequest(requestedBy, Instant.EPOCH)));
	}

	private void watch(Instance instance, BiConsumer<Predicate<LockHandle>, RevocationRequest> target) {
		RevocationBoard watch = new RevocationBoard(instance.client(), Instance.ROOT, null, instance.heldLocks()::holds,
				target);
		watch.start();
		this.opened.add(watch);
	}

	private void listen(LockHandle held, String text) {
		held.onRevocationRequested((request) -> this.news.add(text + " by " + request.requestedBy()));
	}

	private void ask(long token, @Nullable Integer handoff, String who) {
		this.revoker.requestRevocation(REQUEST.id(), token, handoff, new RevocationRequest(who, Instant.now()));
	}

	private List<RevocationBoard.Line> board() throws Exception {
		return RevocationBoard.Line.parse(this.server.observer().getData().forPath(BOARD));
	}

}
