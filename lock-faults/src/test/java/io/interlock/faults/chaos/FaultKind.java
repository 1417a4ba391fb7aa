package io.interlock.faults.chaos;

import io.interlock.faults.worker.Fleet;

/**
 * What can go wrong. Each of them breaks something and, after the time it is given, mends
 * it.
 */
enum FaultKind {

	SERVER_KILLED(Lane.SERVERS, 300, 4000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.kill(site.anyServer());
		}

	},

	LEADER_KILLED(Lane.SERVERS, 300, 4000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.kill(site.leader());
		}

	},

	ALL_SERVERS_KILLED(Lane.SERVERS, 100, 3000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.killAll();
		}

	},

	SERVERS_RESTARTED(Lane.SERVERS, 100, 1500) {

		@Override
		void run(Site site) throws InterruptedException {
			site.restartInTurn();
		}

	},

	ALL_SERVERS_STOPPED(Lane.SERVERS, 300, 5000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stopAllServers();
		}

	},

	FOLLOWER_SLOW(Lane.SERVERS, 2000, 6000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.slow(site.follower(), site.leader());
		}

	},

	LEADER_STOPPED(Lane.SERVERS, 500, 8000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stop(site.leader());
		}

	},

	FOLLOWER_STOPPED(Lane.SERVERS, 500, 8000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stop(site.follower());
		}

	},

	FOLLOWER_CUT_OFF(Lane.SERVERS, 2000, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.cutOff(site.follower(), site.leader());
		}

	},

	LEADER_CUT_OFF(Lane.SERVERS, 2000, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.cutOffLeader(site.leader());
		}

	},

	CLIENT_BLACK_HOLED(Lane.LINKS, 100, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.onLinks(site.worker(), (link) -> link.blackHole());
		}

	},

	CLIENT_REPLIES_DROPPED(Lane.LINKS, 100, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.onLinks(site.worker(), (link) -> link.holdReplies());
		}

	},

	CLIENT_REFUSED(Lane.LINKS, 50, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.onLinks(site.worker(), (link) -> link.refuse());
		}

	},

	CLIENT_RESET(Lane.LINKS, 1, 2) {

		@Override
		void run(Site site) throws InterruptedException {
			site.onLinks(site.worker(), (link) -> link.cut());
		}

	},

	CLIENT_MOVED(Lane.LINKS, 200, 1500) {

		@Override
		void run(Site site) throws InterruptedException {
			site.move(site.worker());
		}

	},

	CLIENT_SLOW(Lane.LINKS, 500, 3000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.slow(site.worker());
		}

	},

	LISTENER_BLOCKED(Lane.LINKS, 1000, 6000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.blockListener(site.worker());
		}

	},

	WORKER_STOPPED_SHORTLY(Lane.WORKERS, 50, 1500) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stop(site.worker());
		}

	},

	WORKER_STOPPED_LONG(Lane.WORKERS, 3000, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stop(site.worker());
		}

	},

	ALL_WORKERS_STOPPED(Lane.WORKERS, 500, 9000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.stopAllWorkers();
		}

	},

	WORKER_KILLED(Lane.WORKERS, 50, 1000) {

		@Override
		void run(Site site) throws InterruptedException {
			site.kill(site.worker());
		}

	},

	SESSION_EXPIRED(Lane.WORKERS, 10, 100) {

		@Override
		void run(Site site) throws InterruptedException {
			site.expire(site.worker());
		}

	},

	INSTANCE_CLOSED(Lane.WORKERS, 10, 100) {

		@Override
		void run(Site site) throws InterruptedException {
			site.tell(site.worker(Fleet::isInterlock), "recycle");
		}

	},

	PARENT_DELETED(Lane.NODES, 200, 1500) {

		@Override
		void run(Site site) throws InterruptedException {
			site.deleteParents();
		}

	},

	HOLDER_DELETED(Lane.NODES, 1, 10) {

		@Override
		void run(Site site) throws InterruptedException {
			site.deleteHolder();
		}

	};

	private final Lane lane;

	private final int minMillis;

	private final int maxMillis;

	FaultKind(Lane lane, int minMillis, int maxMillis) {
		this.lane = lane;
		this.minMillis = minMillis;
		this.maxMillis = maxMillis;
	}

	Lane lane() {
		return this.lane;
	}

	int minMillis() {
		return this.minMillis;
	}

	int maxMillis() {
		return this.maxMillis;
	}

	/**
	 * Break something and mend it.
	 */
	abstract void run(Site site) throws InterruptedException;

	/**
	 * Faults of one lane follow each other; lanes overlap.
	 */
	enum Lane {

		SERVERS, LINKS, WORKERS, NODES

	}

}
