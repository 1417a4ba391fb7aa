package io.interlock.lease;

/** What the attempts, the holds and the renewal of one provider share. */
record LeaseParts(LeaseConnection connection, LeaseSettings settings, LeaseTime time, LeaseThreads threads,
		LeaseReleases releases, KeptLeases kept) {

}
