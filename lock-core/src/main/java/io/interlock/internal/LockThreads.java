package io.interlock.internal;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The threads of this library, by what they do. Operators know the five names. All are
 * daemons of normal priority. They have the context class loader of the thread that makes
 * them, and leave a failure that nothing catches to the handler of the application. What
 * makes a thread or a pool here also ends it.
 *
 * @since 0.1.0
 */
public enum LockThreads {

	/** Watches a session. */
	LEASE,

	/** Ends waits and renews leases: nothing on it waits for the application. */
	TIMER,

	/** Receives news from a store. */
	LISTEN,

	/** Runs asynchronous methods of the application. */
	ASYNC,

	/** Does the rest. */
	WORKER;

	private final String threadName = "interlock-" + name().toLowerCase(Locale.ROOT);

	/** Make the only thread of its name. */
	public Thread thread(Runnable task) {
		return make(null, this.threadName, task);
	}

	/** Make a thread whose name ends with its purpose. */
	public Thread thread(String purpose, Runnable task) {
		return make(null, nameFor(purpose), task);
	}

	/** Make such a thread in a group, which knows the threads that it starts. */
	public Thread thread(ThreadGroup group, String purpose, Runnable task) {
		return make(group, nameFor(purpose), task);
	}

	private String nameFor(String purpose) {
		return this.threadName + "-" + purpose;
	}

	/** Return pools whose threads have a number of their own. */
	public LockThreadPools pools() {
		return new LockThreadPools(this.threadName + "-", this::thread);
	}

	/** Return such pools, whose threads also have a purpose in their names. */
	public LockThreadPools pools(String purpose) {
		return new LockThreadPools(nameFor(purpose) + "-", this::thread);
	}

	private static Thread make(@Nullable ThreadGroup group, String name, Runnable task) {
		Thread thread = new Thread(group, task, name);
		thread.setDaemon(true);
		thread.setPriority(Thread.NORM_PRIORITY);
		return thread;
	}

}
