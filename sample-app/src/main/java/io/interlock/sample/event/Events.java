package io.interlock.sample.event;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.fencing.JdbcFence;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.template.LockContext;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Events and tickets in the database.
 */
@Repository
class Events {

	private static final String SELECT = """
			select id, title, seats, seats_left, price,
				(select count(*) from ticket where ticket.event_id = event.id) as sold
			from event
			""";

	private final JdbcClient jdbc;

	private final JdbcFence fence;

	private final boolean locking;

	Events(JdbcClient jdbc, BoxOfficeProperties properties) {
		this.jdbc = jdbc;
		this.fence = new JdbcFence(jdbc);
		this.locking = properties.locking();
	}

	List<Event> findListed() {
		return this.jdbc.sql(SELECT + "where listed order by id").query(Event.class).list();
	}

	Event get(long id) {
		return this.jdbc.sql(SELECT + "where id = ?")
			.param(id)
			.query(Event.class)
			.optional()
			.orElseThrow(() -> new EventNotFoundException(id));
	}

	List<SoldSeat> soldSeats(long id) {
		return this.jdbc.sql("select seat, sold_by from ticket where event_id = ? order by id")
			.param(id)
			.query(SoldSeat.class)
			.list();
	}

	Takings takings(long id) {
		return this.jdbc.sql("""
				select count(*) as tickets, count(distinct seat) as distinct_seats, coalesce(sum(price), 0) as revenue
				from ticket where event_id = ?
				""").param(id).query(Takings.class).single();
	}

	void add(Ticket ticket) {
		this.jdbc.sql("insert into ticket (event_id, seat, buyer, price, sold_by) values (?, ?, ?, ?, ?)")
			.params(ticket.eventId(), ticket.seat(), ticket.buyer(), ticket.price(), ticket.soldBy())
			.update();
	}

	void updateSeatsLeft(long id, int seatsLeft) {
		update(id, "seats_left", seatsLeft);
	}

	void updatePrice(long id, BigDecimal price) {
		update(id, "price", price);
	}

	private void update(long id, String column, Object value) {
		Optional<LockHandle> lock = LockContext.find(new LockId("seats", Long.toString(id)));
		if (!this.locking || lock.isEmpty()) {
			// A demonstration without the lock has no fence either, although a
			// switched-off lock has a token.
			this.jdbc.sql("update event set %s = ? where id = ?".formatted(column)).params(value, id).update();
			return;
		}
		// A process that was stopped and does not know yet that it lost the lock writes
		// nothing: the row refuses every token below the highest one it has seen.
		this.fence.sql(lock.get(), """
				update event set %s = :value, fence = :fence
				where id = :id and (fence is null or fence <= :fence)
				""".formatted(column)).param("value", value).param("id", id).update();
	}

	void removeTickets(long id) {
		this.jdbc.sql("delete from ticket where event_id = ?").param(id).update();
	}

}
