package io.interlock.benchmark.store;

import java.time.Duration;

import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

/**
 * An ensemble of three ZooKeeper servers, one follower of which is further away from its
 * leader than the other.
 *
 * @since 0.1.0
 */
public final class LaggingZooKeepers implements AutoCloseable {

	private final Ensemble ensemble;

	private final Server leader;

	private final Server follower;

	private final TcpProxy link;

	/**
	 * Start the servers, and wait until they have a leader. Nothing lags yet.
	 */
	public LaggingZooKeepers() {
		this.ensemble = Ensemble.linked(ServerSettings.usual().withHeap("256m").withSyncLimit(5));
		this.leader = this.ensemble.awaitLeader();
		this.follower = this.ensemble.follower().orElseThrow();
		this.link = this.ensemble.link(this.follower, this.leader);
	}

	/**
	 * Let the follower lag.
	 * @param roundTrip how much longer a round trip to the leader takes, half of it in
	 * each direction
	 */
	public void lag(Duration roundTrip) {
		this.link.delay(roundTrip.dividedBy(2));
	}

	/**
	 * Return where a client of the leader connects.
	 * @return the address
	 */
	public String leader() {
		return this.leader.connectString();
	}

	/**
	 * Return where a client of the follower that lags connects.
	 * @return the address
	 */
	public String follower() {
		return this.follower.connectString();
	}

	@Override
	public void close() {
		this.ensemble.close();
	}

}
