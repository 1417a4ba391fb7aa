package io.interlock.template;

import java.util.Deque;
import java.util.List;

/**
 * What a test has left on its thread. Taking it keeps one failure from spoiling the tests
 * that follow.
 */
final class Leftovers {

	private Leftovers() {
	}

	static List<HoldHandle> takeHandles() {
		Deque<HoldHandle> handles = LockContext.handlesOfThisThread();
		List<HoldHandle> left = List.copyOf(handles);
		handles.clear();
		return left;
	}

	static boolean takeInterrupt() {
		return Thread.interrupted();
	}

}
