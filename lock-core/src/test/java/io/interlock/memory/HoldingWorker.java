package io.interlock.memory;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;

/**
 * A process that holds a lock in memory, and says in which state it is for each line of
 * its input.
 */
final class HoldingWorker {

	static final String STATE = "state ";

	private HoldingWorker() {
	}

	public static void main(String[] args) throws Exception {
		LockGrant grant = new InMemoryLockProvider().attempt(LockRequest.exclusive(args[0]), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
		System.out.println(STATE + grant.state());
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (input.readLine() != null) {
			System.out.println(STATE + grant.state());
		}
	}

}
