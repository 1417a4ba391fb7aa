package io.interlock.sample.show.rush;

/**
 * What the buyers of one instance got.
 *
 * @param instance name of the instance
 * @param locking whether it takes locks
 * @param buyers how many buyers it had
 * @param sold how many of them have a ticket
 * @param soldOut how many came too late
 * @param busy how many did not get their turn in time
 * @param failed how many met another failure
 * @param grants how often ZooKeeper granted the lock of the event meanwhile
 * @param handoffs how often a thread handed it to the next one without asking ZooKeeper
 */
record Share(String instance, boolean locking, int buyers, int sold, int soldOut, int busy, int failed, long grants,
		long handoffs) {

	static Share of(String instance, boolean locking, int buyers, Counters.Outcomes outcomes) {
		return new Share(instance, locking, buyers, outcomes.sold(), outcomes.soldOut(), outcomes.busy(),
				outcomes.failed(), 0, 0);
	}

	Share withLocks(long grants, long handoffs) {
		return new Share(this.instance, this.locking, this.buyers, this.sold, this.soldOut, this.busy, this.failed,
				grants, handoffs);
	}

}
