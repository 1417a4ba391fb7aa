package io.interlock.jdbc;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspector.Query;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLines} in H2: namespaces, and what others wrote.
 */
class LockLinesTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.H2,
			"jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), LEASE, 2);

	private final JdbcClient client;

	LockLinesTests() {
		this.instances.createTables();
		this.client = JdbcClient.create(this.instances.pool());
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	private JdbcLeaseStore store(String namespace, boolean limits) {
		return new JdbcLeaseStore(this.instances.pool(), new JdbcLeaseStoreSettings(LockDatabase.H2.clock(), true,
				limits, "", LEASE.dividedBy(3), Duration.ofDays(1), "interlock_", false, namespace));
	}

	private static LeaseContender hold(JdbcLeaseStore store, String name, LockMode mode) {
		LeaseContender contender = new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(name, null),
				mode, 1, false);
		assertThat(store.acquire(contender, LEASE, true).granted()).isTrue();
		return contender;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void namespaceSeesItsOwnLocksInPages(boolean limits) {
		JdbcLeaseStore shop = store("shop_1", limits);
		JdbcLeaseStore other = store("shopx1", limits);
		IntStream.range(0, 5).forEach((i) -> hold(shop, "stock" + i, LockMode.EXCLUSIVE));
		hold(other, "stock9", LockMode.EXCLUSIVE);
		LeaseLine.Lines page = shop.lines(new Query(null, null, true, 3, 2, 10));
		assertThat(page.total()).isEqualTo(5);
		assertThat(page.lines()).extracting(LeaseLine::lock)
			.containsExactly(new LockId("stock3", null), new LockId("stock4", null));
		assertThat(page.lines()).allMatch(LeaseLine::exact);
		assertThat(shop.lines(new Query("stock9", null, 0, 10, 10)).lines()).isEmpty();
		assertThat(shop.line(new LockId("stock9", null))).isEmpty();
		assertThat(store("", limits).lines(new Query(null, null, 0, 10, 10)).lines()).hasSize(6)
			.noneMatch(LeaseLine::exact);
	}

	@Test
	void rowsOfOthersAreNotExactAndPrintable() {
		JdbcLeaseStore store = store("", true);
		hold(store, "stock", LockMode.SHARED);
		this.client.sql("UPDATE interlock_contender SET instance = ?").param("x\n\u001b[2Jy").update();
		this.client.sql("UPDATE interlock_lock SET lock_name = ?, lock_key = ?").params(" ", "a\nb").update();
		LeaseLine line = store.lines(new Query(null, null, 0, 10, 10)).lines().get(0);
		assertThat(line.exact()).isFalse();
		assertThat(line.lock().name()).isEqualTo("?");
		assertThat(line.places()).singleElement()
			.satisfies((place) -> assertThat(place.instance()).isEqualTo("x\\u000a\\u001b[2Jy"));
		this.client.sql("UPDATE interlock_lock SET lock_name = ?").param("stock\n").update();
		assertThat(store.lines(new Query(null, null, 0, 10, 10)).lines().get(0).lock())
			.isEqualTo(new LockId("stock\\u000a", "a\\u000ab"));
	}

	@Test
	void modeOfANewerReleaseIsNotReadable() {
		JdbcLeaseStore store = store("", true);
		hold(store, "stock", LockMode.SHARED);
		hold(store, "stock", LockMode.SHARED);
		this.client
			.sql("UPDATE interlock_contender SET lock_mode = 'UPGRADABLE' "
					+ "WHERE contender = (SELECT MIN(contender) FROM interlock_contender)")
			.update();
		LeaseLine line = store.line(new LockId("stock", null)).orElseThrow();
		assertThat(line.readable()).isFalse();
		assertThat(line.places()).as("what is readable")
			.extracting(LeaseLine.Place::mode)
			.containsExactly(LockMode.SHARED);
	}

	@Test
	void leaseThatIsOverIsNoContender() {
		JdbcLeaseStore store = store("", true);
		hold(store, "stock", LockMode.SHARED);
		hold(store, "other", LockMode.EXCLUSIVE);
		this.client.sql("UPDATE interlock_contender SET lease_end = 0").update();
		this.client.sql("UPDATE interlock_lock SET lease_end = 0").update();
		assertThat(store.lines(new Query(null, null, true, 0, 10, 10)).total()).isZero();
		assertThat(store.lines(new Query(null, null, 0, 10, 10)).lines()).hasSize(2)
			.allMatch((line) -> line.places().isEmpty());
	}

}
