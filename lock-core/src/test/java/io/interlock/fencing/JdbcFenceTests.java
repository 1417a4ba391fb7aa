package io.interlock.fencing;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link JdbcFence} on a real database.
 */
class JdbcFenceTests {

	private static final String SELL = """
			UPDATE seat SET sold_to = :customer, fence = :fence
			WHERE id = :id AND (fence IS NULL OR fence <= :fence)""";

	private final SingleConnectionDataSource dataSource = new SingleConnectionDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=20000", true);

	private final JdbcClient client = JdbcClient.create(this.dataSource);

	private final JdbcFence fence = new JdbcFence(this.client);

	@BeforeEach
	void createTable() {
		this.client.sql("CREATE TABLE seat (id INT PRIMARY KEY, sold_to VARCHAR(40))").update();
		this.client.sql("INSERT INTO seat (id) VALUES (7)").update();
		this.client.sql("ALTER TABLE seat ADD COLUMN fence BIGINT").update();
	}

	@AfterEach
	void close() {
		this.dataSource.destroy();
	}

	@Test
	void writesARowThatHasNoTokenYet() {
		assertThat(sell(lock(5), "Ann")).isEqualTo(1);
		assertThat(customer()).isEqualTo("Ann");
		assertThat(token()).isEqualTo(5);
	}

	@Test
	@Proves(Promise.THE_FENCING_TOKEN)
	void writesAgainWithTheSameToken() {
		LockHandle lock = lock(5);
		sell(lock, "Ann");
		sell(lock, "Bob");
		assertThat(customer()).isEqualTo("Bob");
	}

	@Test
	void writesWithALaterToken() {
		sell(lock(5), "Ann");
		sell(lock(6), "Bob");
		assertThat(customer()).isEqualTo("Bob");
		assertThat(token()).isEqualTo(6);
	}

	@Test
	@Proves(value = Promise.THE_FENCING_TOKEN, under = Fault.THE_HOLDER_IS_OVERTAKEN)
	void refusesAHolderThatWasOvertaken() {
		sell(lock(6), "Bob");
		LockHandle stale = lock(5);
		given(stale.isValid()).willReturn(false);
		assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> sell(stale, "Ann"))
			.withMessageContaining("Token 5 of lock seat[7]")
			.withMessageContaining("a later holder has written")
			.satisfies((ex) -> assertThat(ex.fencingToken()).isEqualTo(5))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(new LockId("seat", "7")));
		assertThat(customer()).isEqualTo("Bob");
		assertThat(token()).isEqualTo(6);
	}

	@Test
	@Proves(value = Promise.THE_FENCING_TOKEN, under = Fault.THE_HOLDER_IS_OVERTAKEN)
	void refusesAHolderThatIsOvertakenWhileItWaitsForTheRow() throws Exception {
		SingleConnectionDataSource other = new SingleConnectionDataSource(this.dataSource.getUrl(), true);
		other.setAutoCommit(false);
		try {
			JdbcFence later = new JdbcFence(JdbcClient.create(other));
			later.sql(lock(6), SELL).param("customer", "Bob").param("id", 7).update();
			CompletableFuture<Integer> late = CompletableFuture.supplyAsync(() -> sell(lock(5), "Ann"));
			Awaitility.await().until(() -> isBlocked(JdbcClient.create(other)));
			other.getConnection().commit();
			assertThat(late).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(StaleLockException.class);
		}
		finally {
			other.destroy();
		}
		assertThat(customer()).isEqualTo("Bob");
	}

	private static boolean isBlocked(JdbcClient client) {
		return client.sql("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL")
			.query(Integer.class)
			.single() == 1;
	}

	@Test
	void suspectsAMissingRowWhileTheLockIsHeld() {
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.fence.sql(lock(5), SELL).param("customer", "Ann").param("id", 8).update())
			.withMessageContaining("most likely no row matches");
	}

	@Test
	void fencesADelete() {
		sell(lock(6), "Bob");
		String delete = "DELETE FROM seat WHERE id = :id AND (fence IS NULL OR fence <= :fence)";
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> this.fence.sql(lock(5), delete).param("id", 7).update());
		assertThat(this.fence.sql(lock(6), delete).param("id", 7).update()).isEqualTo(1);
	}

	@Test
	void takesManyParametersAndNullValues() {
		sell(lock(5), "Ann");
		Map<String, Object> params = new HashMap<>();
		params.put("id", 7);
		params.put("customer", null);
		this.fence.sql(lock(5), SELL).params(params).update();
		assertThat(this.client.sql("SELECT COUNT(*) FROM seat WHERE sold_to IS NULL").query(Integer.class).single())
			.isEqualTo(1);
	}

	@Test
	@Proves(Promise.THE_FENCING_TOKEN)
	void refusesASharedHold() {
		LockHandle shared = lock(5);
		given(shared.mode()).willReturn(LockMode.SHARED);
		assertThatIllegalArgumentException().isThrownBy(() -> this.fence.sql(shared, SELL))
			.withMessage("Lock seat[7] is held shared, and shared holders would fence each other. "
					+ "Acquire it exclusively to write");
	}

	@ParameterizedTest
	@ValueSource(strings = { "UPDATE seat SET sold_to = :customer WHERE id = :id",
			"UPDATE seat SET sold_to = :customer, fence = :fence WHERE id = :id",
			"UPDATE seat SET sold_to = :customer, fence = :fence WHERE id = :id AND fence < :fence",
			"DELETE FROM seat WHERE id = :id" })
	void refusesAStatementThatDoesNotCompareTheToken(String sql) {
		LockHandle lock = lock(5);
		assertThatIllegalArgumentException().isThrownBy(() -> this.fence.sql(lock, sql))
			.withMessageContaining("Add 'AND (fence IS NULL OR fence <= :fence)' to: " + sql);
	}

	@ParameterizedTest
	@ValueSource(strings = { "UPDATE seat SET sold_to = :customer WHERE id = :id AND fence <= :fence",
			"UPDATE seat SET sold_to = :customer, fence = :fences WHERE id = :id AND fence <= :fence" })
	void refusesAStatementThatDoesNotStoreTheToken(String sql) {
		LockHandle lock = lock(5);
		assertThatIllegalArgumentException().isThrownBy(() -> this.fence.sql(lock, sql))
			.withMessageContaining("Add 'fence = :fence' to the columns that it sets: " + sql);
	}

	@Test
	void refusesAnEmptyStatement() {
		LockHandle lock = lock(5);
		assertThatIllegalArgumentException().isThrownBy(() -> this.fence.sql(lock, " "))
			.withMessage("'sql' must not be empty");
	}

	@Test
	void refusesATokenThatIsNotTheLocks() {
		JdbcFence.Update update = this.fence.sql(lock(5), SELL);
		assertThatIllegalArgumentException().isThrownBy(() -> update.param("fence", 99))
			.withMessageContaining("bound to the token of the lock");
		assertThatIllegalArgumentException().isThrownBy(() -> update.params(Map.of("fence", 99)))
			.withMessageContaining("bound to the token of the lock");
	}

	private int sell(LockHandle lock, String customer) {
		return this.fence.sql(lock, SELL).param("customer", customer).param("id", 7).update();
	}

	private String customer() {
		return this.client.sql("SELECT sold_to FROM seat WHERE id = 7").query(String.class).single();
	}

	private long token() {
		return this.client.sql("SELECT fence FROM seat WHERE id = 7").query(Long.class).single();
	}

	private static LockHandle lock(long token) {
		LockHandle lock = mock(LockHandle.class);
		given(lock.id()).willReturn(new LockId("seat", "7"));
		given(lock.mode()).willReturn(LockMode.EXCLUSIVE);
		given(lock.acquiredAt()).willReturn(Instant.EPOCH);
		given(lock.fencingToken()).willReturn(token);
		given(lock.isValid()).willReturn(true);
		return lock;
	}

}
