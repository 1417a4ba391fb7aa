package io.interlock.sample.settlement;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Settles from time to time. Every instance tries; the one that gets the lock does it,
 * and the others do not wait.
 */
@Component
class SettlementJob {

	private static final LockRequest LOCK = LockRequest.exclusive("settlement").withWaitTime(Duration.ZERO);

	private final LockTemplate locks;

	private final Settlements settlements;

	SettlementJob(LockTemplate locks, Settlements settlements) {
		this.locks = locks;
		this.settlements = settlements;
	}

	@Scheduled(fixedDelayString = "${sample.settlement.interval}")
	void run() {
		this.locks.tryExecute(LOCK, this.settlements::settle);
	}

}
