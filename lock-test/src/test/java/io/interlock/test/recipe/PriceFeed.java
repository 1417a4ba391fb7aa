package io.interlock.test.recipe;

import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.leader.LeadershipListener;

import org.springframework.stereotype.Component;

/**
 * Work that runs as long as a leadership.
 */
@Component
class PriceFeed implements LeadershipListener {

	PriceFeed(LeaderElection election) {
		election.join("price-feed", this);
	}

	@Override
	public void onGranted(Leadership leadership) {
		connect(leadership.token());
	}

	@Override
	public void onRevoked(Leadership leadership) {
		disconnect();
	}

	private void connect(long token) {
	}

	private void disconnect() {
	}

}
