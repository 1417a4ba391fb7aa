package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspector.Query;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.testsupport.redis.RedisCluster;
import io.interlock.testsupport.redis.RedisServer;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a replica of a cluster that has taken the place of its master: the client
 * finds it, however it was configured, and whether it had a connection to the dead one.
 */
class RedisClusterPromotionTests {

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** What is there within it is found by a failure, and by no period of the client. */
	private static final Duration SOON = Duration.ofSeconds(15);

	private final RedisCluster cluster = RedisCluster.start(3, "--repl-diskless-sync-delay", "0");

	private final List<Runnable> closings = new ArrayList<>();

	@AfterEach
	void close() {
		this.closings.forEach(Runnable::run);
		this.cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void newMasterIsFoundByAClientWithoutAConnectionToTheDeadOne(Client client) {
		RedisServer master = this.cluster.masters().get(0);
		RedisServer replica = this.cluster.addReplica(master);
		RedisLeaseStore store = store(client);
		acquire(store, lockAt(2));
		promote(master, replica);
		acquire(store, lockAt(0));
	}

	@ParameterizedTest
	@EnumSource
	void newMasterIsFoundByAClientWithAConnectionToTheDeadOne(Client client) {
		RedisServer master = this.cluster.masters().get(0);
		RedisServer replica = this.cluster.addReplica(master);
		RedisLeaseStore store = store(client);
		LockId lock = lockAt(0);
		assertThat(store.release(acquire(store, lock))).isTrue();
		promote(master, replica);
		acquire(store, lock);
	}

	@Test
	void locksOfTheNewMasterAreListed() {
		RedisServer master = this.cluster.masters().get(0);
		RedisServer replica = this.cluster.addReplica(master);
		RedisLeaseStore store = store(Client.FIXED);
		acquire(store, lockAt(2));
		promote(master, replica);
		await().atMost(SOON)
			.ignoreExceptionsInstanceOf(LeaseStoreException.class)
			.until(() -> store.lines(new Query(null, null, false, 0, 30, 10)).total() == 1);
	}

	@Test
	void newsComeBackWhenTheirServerDies() {
		List<RedisServer> replicas = this.cluster.masters().stream().map(this.cluster::addReplica).toList();
		RedisLeaseStore holders = store(Client.DEFAULTS);
		RedisLeaseStore waiting = store(Client.DEFAULTS);
		List<LockId> told = new CopyOnWriteArrayList<>();
		waiting.listen(told::add);
		await().atMost(PATIENCE).until(() -> listening().findAny().isPresent());
		RedisServer dead = listening().findFirst().orElseThrow();
		if (replicas.contains(dead)) {
			dead.kill();
		}
		else {
			promote(dead, replicas.get(this.cluster.masters().indexOf(dead)));
		}
		await().atMost(SOON).until(() -> listening().anyMatch((server) -> server != dead));
		LockId lock = lockAt(0);
		LeaseContender holder = acquire(holders, lock);
		LeaseContender next = contender(lock);
		await().atMost(SOON)
			.ignoreExceptionsMatching(RedisClusterPromotionTests::passes)
			.until(() -> !waiting.acquire(next, LEASE, true).granted());
		assertThat(holders.release(holder)).isTrue();
		await().atMost(SOON).until(() -> told.contains(lock));
	}

	private Stream<RedisServer> listening() {
		return this.cluster.servers()
			.stream()
			.filter((server) -> server.command("PUBSUB", "CHANNELS", "interlock:freed:*")
				.stream()
				.anyMatch((line) -> line.startsWith("interlock:freed:")));
	}

	private void promote(RedisServer master, RedisServer replica) {
		master.kill();
		assertThat(replica.command("CLUSTER", "FAILOVER", "TAKEOVER")).containsExactly("OK");
		String id = replica.command("CLUSTER", "MYID").get(0);
		await().atMost(PATIENCE)
			.until(() -> this.cluster.servers()
				.stream()
				.filter((server) -> server != master)
				.allMatch((server) -> server.command("CLUSTER", "NODES")
					.stream()
					.anyMatch(
							(line) -> line.startsWith(id) && line.contains("master") && line.contains("connected "))));
	}

	private LockId lockAt(int master) {
		LockKeys keys = new LockKeys("interlock:");
		return Stream.iterate(0, (i) -> i + 1)
			.map((i) -> new LockId("stock", Integer.toString(i)))
			.filter((lock) -> this.cluster
				.masterOf(ClusterSlotHashUtil.calculateSlot(keys.keyOf(lock))) == this.cluster.masters().get(master))
			.findFirst()
			.orElseThrow();
	}

	private static LeaseContender acquire(RedisLeaseStore store, LockId lock) {
		LeaseContender contender = contender(lock);
		await().atMost(SOON)
			.ignoreExceptionsMatching(RedisClusterPromotionTests::passes)
			.until(() -> store.acquire(contender, LEASE, false).granted());
		return contender;
	}

	private static boolean passes(Throwable failure) {
		return failure instanceof LeaseStoreException ex && ex.isPassing();
	}

	private static LeaseContender contender(LockId lock) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", lock, LockMode.EXCLUSIVE, 1, false);
	}

	private RedisLeaseStore store(Client client) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisClusterConfiguration(this.cluster.addresses()),
				LettuceClientConfiguration.builder()
					.clientOptions(client.options)
					.commandTimeout(LEASE.dividedBy(3))
					.build());
		this.closings.add(0, application::destroy);
		LettuceConnectionFactory connections = application;
		if (client == Client.SHARED) {
			application.start();
		}
		else {
			LettuceConnections dedicated = new LettuceConnections(application, LEASE.dividedBy(3));
			this.closings.add(0, dedicated::close);
			connections = dedicated.factory();
		}
		RedisLeaseStore store = new RedisLeaseStore(connections,
				new RedisLeaseStoreSettings("interlock:", Duration.ofMinutes(1)));
		this.closings.add(0, store::close);
		return store;
	}

	enum Client {

		/** As Spring Boot makes it. */
		DEFAULTS(ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(true).build()),

		/** Without any refresh of its own. */
		FIXED(ClusterTopologyRefreshOptions.builder()
			.dynamicRefreshSources(false)
			.disableAllAdaptiveRefreshTriggers()
			.build()),

		/** The connections of the application: there are no others. */
		SHARED(ClusterTopologyRefreshOptions.create());

		private final ClusterClientOptions options;

		Client(ClusterTopologyRefreshOptions refresh) {
			this.options = ClusterClientOptions.builder().topologyRefreshOptions(refresh).build();
		}

	}

}
