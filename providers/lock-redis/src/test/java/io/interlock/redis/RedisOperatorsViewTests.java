package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LeaseNodes;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.OperatorsContract;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What operators see and do in Redis.
 */
class RedisOperatorsViewTests extends OperatorsContract {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(LEASE);

	private final LeaseNodes nodes = new LeaseNodes();

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Override
	protected Node start() {
		return this.nodes.start(LEASE, (settings) -> this.instances.start(server, settings));
	}

	@Test
	void whatOthersWroteIsNotReadableAndHidesNoLock() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(server.port()));
		server.command("SET", "interlock:{foreign}", "text");
		server.command("HSET", "interlock:{newer}", "one", "2 EXCLUSIVE 1 1 1 1 channel test", "two",
				"1 SHARED 1 1 8 9000000000000000 channel test");
		server.command("HSET", "interlock:{forged}", "one\n",
				"1 EXCLUSIVE 1 1 7 9000000000000000 channel x\n\u001b[2Jy");
		server.command("HSET", "interlock:runs", "report", "text");
		server.command("SET", "interlock:{%}", "text");
		try {
			assertThat(store.lines(new Query(null, null, 0, 10, 10)).lines())
				.filteredOn((line) -> Set.of("foreign", "newer", "forged", "%").contains(line.lock().name()))
				.extracting((line) -> line.lock().name() + " " + line.readable())
				.containsExactly("% false", "foreign false", "forged true", "newer false");
			assertThat(store.line(new LockId("newer", null)).orElseThrow().places()).as("what is readable")
				.extracting(LeaseLine.Place::token)
				.containsExactly(8L);
			assertThat(store.line(new LockId("forged", null)).orElseThrow().places()).singleElement()
				.satisfies((place) -> {
					assertThat(place.contender()).isEqualTo("one\\u000a");
					assertThat(place.instance()).isEqualTo("x\\u000a\\u001b[2Jy");
					assertThat(place.token()).isEqualTo(7);
				});
		}
		finally {
			server.command("FLUSHALL");
		}
	}

	@Test
	void namesAreFoundWhateverTheyHaveOfAPattern() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(server.port()));
		for (String name : List.of("a*", "ab", "a?[b]", "a\\", "a")) {
			LeaseContender contender = new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(name, "1"),
					LockMode.EXCLUSIVE, 1, false);
			assertThat(store.acquire(contender, LEASE, false).granted()).isTrue();
		}
		for (String name : List.of("a*", "ab", "a?[b]", "a\\", "a")) {
			assertThat(store.lines(new Query(name, null, 0, 10, 10)).lines()).extracting((line) -> line.lock().name())
				.containsExactly(name);
		}
	}

}
