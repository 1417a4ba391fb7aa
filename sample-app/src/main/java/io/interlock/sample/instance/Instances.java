package io.interlock.sample.instance;

import java.time.ZoneOffset;
import java.util.List;

import io.interlock.sample.web.InvalidRequestException;

import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Repository;

/**
 * All instances that use this database. Time is the time of the database.
 *
 * @since 0.1.0
 */
@Repository
public class Instances {

	private final JdbcClient jdbc;

	private final ThisInstance thisInstance;

	Instances(JdbcClient jdbc, ThisInstance thisInstance) {
		this.jdbc = jdbc;
		this.thisInstance = thisInstance;
	}

	/**
	 * Return the instances that gave a sign of life in the last ten seconds. This one is
	 * always among them.
	 * @return the instances, by name
	 */
	public List<Instance> live() {
		heartbeat();
		return this.jdbc.sql("""
				select name, url, locking, started from instance
				where heartbeat > dateadd(second, -10, current_timestamp) order by name
				""").query(Instance.class).list();
	}

	/**
	 * Return a live instance.
	 * @param name its name
	 * @return the instance
	 * @throws InvalidRequestException if there is none of that name
	 */
	public Instance get(String name) {
		return live().stream()
			.filter((instance) -> instance.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new InvalidRequestException("There is no instance '%s'".formatted(name)));
	}

	/**
	 * Give a sign of life, the first one before the application says that it is ready.
	 */
	@EventListener(ApplicationStartedEvent.class)
	@Scheduled(fixedRateString = "2s")
	void heartbeat() {
		Instance self = this.thisInstance.instance();
		this.jdbc.sql("merge into instance key (name) values (?, ?, ?, ?, current_timestamp)")
			.params(self.name(), self.url(), self.locking(), self.started().atOffset(ZoneOffset.UTC))
			.update();
	}

	@EventListener(ContextClosedEvent.class)
	void signOff() {
		try {
			this.jdbc.sql("delete from instance where name = ?").param(this.thisInstance.name()).update();
		}
		catch (DataAccessException ex) {
			// The database went first; the missing heartbeat says the same.
		}
	}

}
