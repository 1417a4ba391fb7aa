package io.interlock.sample.settlement;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.fencing.StaleLockException;
import io.interlock.sample.instance.ThisInstance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Settlements}.
 */
class SettlementsTests {

	private EmbeddedDatabase database;

	@BeforeEach
	void createDatabase() {
		this.database = new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.addDefaultScripts()
			.build();
	}

	@AfterEach
	void removeDatabase() {
		this.database.shutdown();
	}

	@Test
	void settlesTheTicketsThatAreNotSettled() {
		Settlements settlements = settlements(this.database);
		addTicket();
		addTicket();
		settlements.settle(lockWithToken(7));
		Settlement latest = settlements.latest();
		assertThat(latest.instance()).isEqualTo("localhost:8080");
		assertThat(latest.settledAt()).isNotNull();
		assertThat(latest.tickets()).isEqualTo(2);
		assertThat(latest.amount()).isEqualByComparingTo("90");
		assertThat(latest.token()).isEqualTo(7);
	}

	@Test
	void settlesNoTicketTwice() {
		Settlements settlements = settlements(this.database);
		addTicket();
		settlements.settle(lockWithToken(7));
		settlements.settle(lockWithToken(8));
		assertThat(settlements.latest().runs()).isEqualTo(2);
		assertThat(settlements.latest().tickets()).isZero();
	}

	@Test
	void refusesASmallerToken() {
		Settlements settlements = settlements(this.database);
		settlements.settle(lockWithToken(8));
		assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> settlements.settle(lockWithToken(7)))
			.withMessageContaining("Token 7 of lock settlement");
		assertThat(settlements.latest().token()).isEqualTo(8);
	}

	private void addTicket() {
		JdbcClient.create(this.database)
			.sql("insert into ticket (event_id, seat, buyer, price, sold_by) values (1, 1, 'Ada', 45, 'localhost:8080')")
			.update();
	}

	private static Settlements settlements(DataSource dataSource) {
		ThisInstance instance = mock(ThisInstance.class);
		given(instance.name()).willReturn("localhost:8080");
		return new Settlements(JdbcClient.create(dataSource), instance);
	}

	private static LockHandle lockWithToken(long token) {
		LockHandle lock = mock(LockHandle.class);
		given(lock.id()).willReturn(new LockId("settlement", null));
		given(lock.mode()).willReturn(LockMode.EXCLUSIVE);
		given(lock.fencingToken()).willReturn(token);
		return lock;
	}

}
