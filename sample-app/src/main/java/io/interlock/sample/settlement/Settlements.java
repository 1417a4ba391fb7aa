package io.interlock.sample.settlement;

import java.math.BigDecimal;

import io.interlock.LockHandle;
import io.interlock.fencing.JdbcFence;
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

	Settlements(JdbcClient jdbc, ThisInstance instance) {
		this.jdbc = jdbc;
		this.fence = new JdbcFence(jdbc);
		this.instance = instance;
	}

	Settlement latest() {
		return this.jdbc.sql("select instance, settled_at, runs, tickets, amount, token from settlement where id = 1")
			.query(Settlement.class)
			.single();
	}

	/**
	 * Settle all tickets that are not settled yet.
	 * @param lock the lock that keeps other instances away
	 * @return how many tickets that were
	 * @throws io.interlock.fencing.StaleLockException if an instance with a newer lock
	 * has settled already, so that this one is too late
	 */
	@Transactional
	public long settle(LockHandle lock) {
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
		return open.tickets();
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
