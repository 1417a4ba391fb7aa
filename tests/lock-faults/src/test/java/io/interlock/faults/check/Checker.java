package io.interlock.faults.check;

import java.util.List;

/**
 * Judges one promise over a whole run.
 */
@FunctionalInterface
public interface Checker {

	/**
	 * Look for broken promises.
	 * @param history what happened
	 * @return what was broken, empty if nothing was
	 */
	List<Violation> check(History history);

}
