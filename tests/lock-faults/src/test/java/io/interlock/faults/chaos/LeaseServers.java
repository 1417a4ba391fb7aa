package io.interlock.faults.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.interlock.faults.check.ObservedFault;
import io.interlock.faults.worker.Fleet;

/**
 * The servers of a store of leases, and what can go wrong with them. They keep their
 * data. Used by lanes of faults, and observed by other threads.
 */
abstract class LeaseServers implements AutoCloseable {

	private static final String OF = " of ";

	/**
	 * Return the ports of the servers.
	 */
	abstract List<Integer> ports();

	/**
	 * Return the address of the store for clients.
	 * @param ports ports of the servers, or of links to them
	 */
	abstract String address(List<Integer> ports);

	/**
	 * Return the time of the servers in microseconds, which is the least token that they
	 * give out from now on.
	 * @throws Exception if one does not answer
	 */
	abstract long time() throws Exception;

	/**
	 * Return the contenders whose leases run.
	 */
	abstract List<String> left() throws Exception;

	/**
	 * Return what can go wrong.
	 */
	List<Fault> faults() {
		List<Fault> faults = new ArrayList<>(Fault.OF_CLIENTS);
		faults.add(SlowWaiters.FAULT);
		faults.add(StartInOutage.FAULT);
		return faults;
	}

	/**
	 * Return what is under test, one instance of each.
	 */
	List<Fleet> members() {
		return List.of(Fleet.INTERLOCK, Fleet.UNQUEUED, Fleet.LINGERING);
	}

	/**
	 * Return whether some of the faults end leases before their time.
	 */
	abstract boolean endLeasesEarly();

	/**
	 * Return whether a lock is where something fails.
	 * @param target what fails
	 * @param key which lock
	 */
	abstract boolean isAt(String target, String key);

	/**
	 * Return whether a fault may end a hold: one of all workers or of its own, one of its
	 * server, and one of its row or key.
	 */
	final boolean reaches(ObservedFault fault, String worker, String key) {
		String target = fault.target();
		int of = target.indexOf(OF);
		return target.equals(worker) || target.equals("all workers") || isAt(target, key)
				|| (of >= 0 && Set.of(target.substring(of + OF.length()).split(", ")).contains(key));
	}

	@Override
	public abstract void close();

}
