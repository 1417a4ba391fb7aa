package io.interlock.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the box office; {@code application.yaml} has the defaults.
 *
 * @param locking whether the annotated methods take their locks
 * @param controls whether visitors may break things on purpose
 * @param paymentTime how long a payment takes
 * @param rush settings of the rush
 * @param settlement settings of the settlement
 * @param database settings of the shared database
 * @since 0.1.0
 */
@ConfigurationProperties("sample")
public record BoxOfficeProperties(boolean locking, boolean controls, Duration paymentTime, Rush rush,
		Settlement settlement, Database database) {

	/**
	 * Settings of the rush.
	 *
	 * @param threads how many buyers an instance serves at once
	 */
	public record Rush(int threads) {

	}

	/**
	 * Settings of the settlement.
	 *
	 * @param interval time from one settlement to the next
	 */
	public record Settlement(Duration interval) {

	}

	/**
	 * Settings of the shared database.
	 *
	 * @param name name of the in-memory database
	 * @param served whether this instance serves it to others
	 * @param port where it is served, or zero for any free port
	 */
	public record Database(String name, boolean served, int port) {

	}

}
