package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.TooManyLocksException;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.lease.LeaseStoreException;
import io.interlock.lease.LeaseStoreSnapshot;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.redis.RedisCluster;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a cluster of three masters, one of which is away: the locks of the others
 * know nothing of it.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisClusterTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int LOCKS = 90;

	private final RedisCluster cluster = RedisCluster.start(3, "--enable-debug-command", "yes");

	private final RedisServer away = this.cluster.masters().get(1);

	private final MovedTime time = new MovedTime();

	private RedisInstances instances = new RedisInstances(LEASE);

	@AfterEach
	void close() {
		this.instances.close();
		this.time.close();
		this.cluster.close();
	}

	private RedisClusterConfiguration configuration() {
		return new RedisClusterConfiguration(this.cluster.addresses());
	}

	private boolean isAway(LockId lock) {
		return this.cluster
			.masterOf(ClusterSlotHashUtil.calculateSlot(new LockKeys("interlock:").keyOf(lock))) == this.away;
	}

	private static LockId lock(int number) {
		return new LockId("stock", Integer.toString(number));
	}

	@ParameterizedTest
	@EnumSource
	void answersOfTheOtherMastersAreThereSoon(Fault fault) {
		RedisLeaseStore store = this.instances.store(configuration());
		List<LeaseContender> holders = acquireAll(store);
		Map<Boolean, List<LeaseContender>> parts = holders.stream()
			.collect(Collectors.partitioningBy((holder) -> isAway(holder.lock())));
		assertThat(parts.get(true)).hasSizeBetween(15, 45);
		fault.begin.accept(this.away);
		long before = System.nanoTime();
		Renewed answer = store.renew(holders, LEASE);
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(LEASE.dividedBy(3).minusSeconds(1));
		assertThat(answer.renewed()).containsExactlyInAnyOrderElementsOf(parts.get(false));
		assertThat(answer.unanswered()).containsOnlyKeys(parts.get(true))
			.allSatisfy((holder, failure) -> assertThat(failure.isPassing()).isTrue());
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.renew(parts.get(true), LEASE))
			.matches(LeaseStoreException::isPassing);
		fault.end.accept(this.away);
		if (fault == Fault.PAUSE) {
			assertThat(store.renew(holders, LEASE).renewed()).containsExactlyInAnyOrderElementsOf(holders);
		}
	}

	@Test
	void locksOfAllMastersAreReadInPagesUnlessThereAreTooMany() {
		RedisLeaseStore store = this.instances.store(configuration());
		acquireAll(store);
		Set<LockId> read = new HashSet<>();
		for (int offset = 0; offset < LOCKS; offset += 30) {
			Lines page = store.lines(new Query("stock", null, true, offset, 30, 10));
			assertThat(page.total()).isEqualTo(LOCKS);
			assertThat(page.lines()).hasSize(30).allSatisfy((line) -> assertThat(line.places()).hasSize(1));
			page.lines().forEach((line) -> read.add(line.lock()));
		}
		assertThat(read).hasSize(LOCKS);
		assertThat(store.lines(new Query("other", null, true, 0, 30, 10)).total()).isZero();
		this.cluster.masters().get(2).command("DEBUG", "POPULATE", "1000001");
		assertThatExceptionOfType(TooManyLocksException.class)
			.isThrownBy(() -> store.lines(new Query("stock", null, true, 0, 30, 10)))
			.withMessageContaining("keys, too many to find locks among them")
			.withMessageContaining("by its name and its key");
	}

	@ParameterizedTest
	@EnumSource
	void masterThatIsAwayIsNamedWhereItsLocksWouldMissAndTheOthersCanBeAskedFor(Fault fault) {
		RedisLeaseStore store = this.instances.store(configuration());
		acquireAll(store);
		fault.begin.accept(this.away);
		for (Query query : List.of(new Query(null, null, false, 0, 30, 10),
				new Query("stock", null, true, 0, 30, 10))) {
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.lines(query))
				.withMessageContaining("127.0.0.1:" + this.away.port())
				.withMessageContaining("no list is shown")
				.withMessageContaining("Ask for one lock, by its name and its key");
		}
		LockId there = IntStream.range(0, LOCKS)
			.mapToObj(RedisClusterTests::lock)
			.filter((lock) -> !isAway(lock))
			.findFirst()
			.orElseThrow();
		assertThat(store.line(there).orElseThrow().places()).hasSize(1);
		assertThat(store.lines(new Query("stock", there.key(), true, 0, 30, 10)).total()).isOne();
		fault.end.accept(this.away);
	}

	/**
	 * As after a fail-over: the cluster lists the dead one for long.
	 */
	@Test
	void masterWhoseSlotsAnotherOneHasIsNotMissed() {
		this.away.kill();
		List<RedisServer> others = this.cluster.masters().stream().filter((master) -> master != this.away).toList();
		others.forEach((master) -> master.command("CLUSTER", "DELSLOTSRANGE", "5461", "10921"));
		others.get(0).command("CLUSTER", "ADDSLOTSRANGE", "5461", "10921");
		await().atMost(PATIENCE)
			.until(() -> others.stream()
				.allMatch((master) -> master.command("CLUSTER", "INFO").contains("cluster_slots_ok:16384")));
		assertThat(others.get(0).command("CLUSTER", "NODES")).anyMatch((line) -> line.contains(":" + this.away.port()));
		RedisLeaseStore store = this.instances.store(
				new RedisClusterConfiguration(others.stream().map((master) -> "127.0.0.1:" + master.port()).toList()));
		acquireAll(store);
		assertThat(store.lines(new Query("stock", null, true, 0, 30, 10)).total()).isEqualTo(LOCKS);
	}

	private static List<LeaseContender> acquireAll(RedisLeaseStore store) {
		List<LeaseContender> holders = IntStream.range(0, LOCKS)
			.mapToObj((i) -> new LeaseContender(UUID.randomUUID().toString(), "test", lock(i), LockMode.EXCLUSIVE, 1,
					false))
			.toList();
		holders.forEach((holder) -> assertThat(store.acquire(holder, LEASE, false).granted()).isTrue());
		return holders;
	}

	@Test
	void deadMasterCostsItsOwnHoldsOnly(CapturedOutput output) throws Exception {
		this.instances = new RedisInstances(Duration.ofMinutes(1), Duration.ofMillis(50), this.time);
		LeaseLockProvider instance = this.instances.start(configuration());
		List<LockGrant> grants = acquireAll(instance);
		this.away.kill();
		this.time.advance(Duration.ofSeconds(45), Duration.ofSeconds(1));
		await().atMost(PATIENCE).untilAsserted(() -> assertStates(grants, LockState.VALID, LockState.UNCONFIRMED));
		assertThat(instance.snapshot().state()).isEqualTo(LeaseStoreSnapshot.State.SUSPENDED);
		assertThat(output).containsOnlyOnce("The leases of %d of %d locks were not renewed"
			.formatted(grants.stream().filter((grant) -> isAway(grant.request().id())).count(), LOCKS));
		this.time.advance(Duration.ofSeconds(15), Duration.ofSeconds(1));
		await().atMost(PATIENCE).untilAsserted(() -> assertStates(grants, LockState.VALID, LockState.LOST));
		this.time.advance(Duration.ofMinutes(2), Duration.ofSeconds(1));
		await().atMost(PATIENCE).untilAsserted(() -> assertStates(grants, LockState.VALID, LockState.LOST));
	}

	@Deep
	@ParameterizedTest
	@EnumSource
	void masterThatIsAwayCostsItsOwnLocksOnly(Fault fault) throws Exception {
		LeaseLockProvider instance = this.instances.start(configuration());
		LeaseLockProvider other = this.instances.start(configuration());
		Map<Boolean, List<LockGrant>> grants = acquireAll(instance).stream()
			.collect(Collectors.partitioningBy((grant) -> isAway(grant.request().id())));
		Queue<String> told = new ConcurrentLinkedQueue<>();
		grants.get(false).forEach((grant) -> grant.onStateChange((state) -> {
			if (state != LockState.VALID) {
				told.add(grant + " is " + state);
			}
		}));
		fault.begin.accept(this.away);
		for (LockGrant grant : grants.get(false).subList(0, 10)) {
			long before = System.nanoTime();
			grant.verify();
			assertThat(grant.release()).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED);
			acquire(other, grant.request().id());
			assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
		}
		await().atMost(PATIENCE)
			.until(() -> grants.get(true).stream().allMatch((grant) -> grant.state() == LockState.LOST));
		assertThat(told).isEmpty();
		fault.end.accept(this.away);
	}

	private List<LockGrant> acquireAll(LockProvider instance) throws Exception {
		List<LockGrant> grants = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			grants.add(acquire(instance, lock(i)));
		}
		return grants;
	}

	private static LockGrant acquire(LockProvider instance, LockId lock) throws Exception {
		return instance.attempt(LockRequest.exclusive(lock.name()).withKey(lock.key()), LockCaller.current())
			.outcome()
			.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
			.orElseThrow();
	}

	private void assertStates(List<LockGrant> grants, LockState others, LockState away) {
		assertThat(grants).hasSize(LOCKS)
			.allSatisfy((grant) -> assertThat(grant.state()).isEqualTo(isAway(grant.request().id()) ? away : others));
	}

	enum Fault {

		KILL(RedisServer::kill, (dead) -> {
		}),

		PAUSE(RedisServer::pause, RedisServer::resume);

		private final Consumer<RedisServer> begin;

		private final Consumer<RedisServer> end;

		Fault(Consumer<RedisServer> begin, Consumer<RedisServer> end) {
			this.begin = begin;
			this.end = end;
		}

	}

}
