package io.interlock.sample.settlement;

import io.interlock.LockRequest;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.template.LockTemplate;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Settles from time to time. Every instance tries; the first one that comes does it, and
 * the lock stays taken until the next settlement is due, so that no other one does.
 */
@Component
class SettlementJob {

	private final LockRequest lock;

	private final LockTemplate locks;

	private final Settlements settlements;

	SettlementJob(LockTemplate locks, Settlements settlements, BoxOfficeProperties properties) {
		this.lock = LockRequest.exclusive("settlement").withMinHold(properties.settlement().interval());
		this.locks = locks;
		this.settlements = settlements;
	}

	@Scheduled(fixedDelayString = "${sample.settlement.interval}")
	void run() {
		this.locks.tryExecute(this.lock, this.settlements::settle);
	}

}
