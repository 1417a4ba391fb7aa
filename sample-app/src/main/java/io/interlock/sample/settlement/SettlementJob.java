package io.interlock.sample.settlement;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockContext;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Settles from time to time. Every instance tries; the first one that comes does it, and
 * the lock stays taken until shortly before the next settlement is due, so that no other
 * one does. An instance without locks would be one more, and settles nothing.
 */
@Component
@ConditionalOnBooleanProperty("sample.locking")
class SettlementJob {

	private final Settlements settlements;

	SettlementJob(Settlements settlements) {
		this.settlements = settlements;
	}

	@Scheduled(fixedDelayString = "${sample.settlement.interval}")
	@DistributedLock(name = "settlement", minHold = "period", onContention = ContentionPolicy.SKIP)
	public void run() {
		this.settlements.settle(LockContext.current());
	}

}
