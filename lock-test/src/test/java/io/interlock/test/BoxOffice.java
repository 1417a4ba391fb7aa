package io.interlock.test;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;

/**
 * What applications do with locks.
 */
@Service
class BoxOffice {

	@DistributedLock(name = "seats", key = "#seat", waitTime = "0")
	public String sell(int seat, Runnable payment) {
		payment.run();
		return "sold " + seat;
	}

	@DistributedLock(name = "settlement", waitTime = "0", onContention = ContentionPolicy.SKIP)
	public @Nullable String settle() {
		return "settled";
	}

	@LeaderOnly("billing")
	public @Nullable String bill() {
		return "billed";
	}

}
