package io.interlock.faults;

import java.time.Duration;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

/**
 * A process in a network namespace of its own, in which one of three servers, the leader
 * or a follower, is cut off from both of the others. Clients reach all three. It tells
 * what the holder that is connected to that server sees, and ends.
 */
final class Partition {

	static final String LEADER = "leader";

	static final String OVERLAP = "overlap ";

	static final String TOKENS = "tokens ";

	static final Duration SESSION = Duration.ofSeconds(4);

	private static final String KEY = "partition";

	private Partition() {
	}

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		ServerSettings settings = ServerSettings.quick().withSyncLimit(5);
		try (Hosts hosts = new Hosts(3); Ensemble ensemble = Ensemble.on(hosts.all(), settings)) {
			Server leader = ensemble.awaitLeader();
			Server minority = args[0].equals(LEADER) ? leader : ensemble.follower().orElseThrow();
			String majority = ensemble.servers()
				.stream()
				.filter((server) -> server != minority)
				.map(Server::connectString)
				.collect(Collectors.joining(","));
			try (InterlockLocks holder = locks(minority.connectString()); InterlockLocks taker = locks(majority)) {
				acquire(taker, "warm").close();
				Held held = acquire(holder, KEY);
				hosts.cutOff(minority.id());
				System.out.println(OVERLAP + Overlap.measure(held, taker, KEY));
				hosts.heal(minority.id());
				held.close();
				Held again = acquire(holder, KEY);
				System.out.println(TOKENS + held.token() + " " + again.token());
				again.close();
			}
		}
		System.exit(0);
	}

	private static InterlockLocks locks(String connectString) {
		return new InterlockLocks(connectString, SESSION, QueueSettings.defaults());
	}

	private static Held acquire(InterlockLocks locks, String key) {
		Held held = locks.acquire(key, false, LockRequest.FOREVER).held();
		if (held == null) {
			throw new IllegalStateException("Not granted");
		}
		return held;
	}

}
