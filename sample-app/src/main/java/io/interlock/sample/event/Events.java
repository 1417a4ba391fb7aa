package io.interlock.sample.event;

import java.math.BigDecimal;
import java.util.List;

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

	Events(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	List<Event> findAll() {
		return this.jdbc.sql(SELECT + "order by id").query(Event.class).list();
	}

	Event get(long id) {
		return this.jdbc.sql(SELECT + "where id = ?")
			.param(id)
			.query(Event.class)
			.optional()
			.orElseThrow(() -> new EventNotFoundException(id));
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
		this.jdbc.sql("update event set seats_left = ? where id = ?").params(seatsLeft, id).update();
	}

	void updatePrice(long id, BigDecimal price) {
		this.jdbc.sql("update event set price = ? where id = ?").params(price, id).update();
	}

	void removeTickets(long id) {
		this.jdbc.sql("delete from ticket where event_id = ?").param(id).update();
	}

}
