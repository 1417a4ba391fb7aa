package io.interlock.sample.settlement;

import java.math.BigDecimal;
import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.fencing.JdbcFence;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.instance.ThisInstance;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * Settlements in the database.
 *
 * @since 0.1.0
 */
@Repository
public class Settlements {

	private final JdbcClient jdbc;

	private final JdbcFence fence;

	private final ThisInstance instance;

	private final Duration interval;

	Settlements(JdbcClient jdbc, ThisInstance instance, BoxOfficeProperties properties) {
		this.jdbc = jdbc;
		this.fence = new JdbcFence(jdbc);
		this.instance = instance;
		this.interval = properties.settlement().interval();
	}

	Settlement latest() {
		return this.jdbc.sql("select instance, settled_at, runs, tickets, amount, token from settlement where id = 1")
			.query(Settlement.class)
			.single();
	}

	/**
	 * Settle all tickets that are not settled yet, unless another instance did it a
	 * moment ago.
	 * @param lock the lock that keeps other instances away
	 * @return whether it was time
	 * @throws io.interlock.fencing.StaleLockException if an instance with a newer lock
	 * has settled already, so that this one is too late
	 */
	@Transactional
	public boolean settle(LockHandle lock) {
		if (!due()) {
			return false;
		}
		Open open = this.jdbc
			.sql("select count(*) as tickets, coalesce(sum(price), 0) as amount from ticket where not settled")
			.query(Open.class)
			.single();
		this.jdbc.sql("update ticket set settled = true where not settled").update();
		this.fence.sql(lock, """
				update settlement set instance = :instance, settled_at = current_timestamp, runs = runs + 1,
					tickets = :tickets, amount = :amount, token = :fence
				where id = 1 and token <= :fence
				""")
			.param("instance", this.instance.name())
			.param("tickets", open.tickets())
			.param("amount", open.amount())
			.update();
		return true;
	}

	private boolean due() {
		return this.jdbc.sql("""
				select settled_at is null or settled_at <= dateadd(millisecond, ?, current_timestamp)
				from settlement where id = 1
				""").param(-this.interval.toMillis()).query(Boolean.class).single();
	}

	/**
	 * The tickets that are not settled yet, added up.
	 *
	 * @param tickets how many
	 * @param amount what they cost together
	 */
	private record Open(long tickets, BigDecimal amount) {

	}

}
