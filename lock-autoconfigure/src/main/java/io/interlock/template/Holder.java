package io.interlock.template;

import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a hold belongs to until it is detached, and where it acquired the lock.
 */
final class Holder {

	private static final Set<String> OWN = Set.of(LockTemplate.class.getName(), LockOperations.class.getName());

	private final Thread thread;

	private volatile @Nullable StackFrame site;

	private volatile boolean detached;

	/**
	 * The calling thread.
	 */
	Holder() {
		this(Thread.currentThread(), false);
	}

	private Holder(Thread thread, boolean detached) {
		this.thread = thread;
		this.detached = detached;
	}

	/**
	 * No thread.
	 * @param asking which thread has asked for the lock
	 */
	static Holder none(Thread asking) {
		return new Holder(asking, true);
	}

	/**
	 * Record where a handle was acquired that may outlive the calling method.
	 */
	void acquireHere() {
		this.site = StackWalker.getInstance()
			.walk((frames) -> frames.dropWhile((frame) -> !OWN.contains(frame.getClassName()))
				.dropWhile((frame) -> OWN.contains(frame.getClassName()))
				.findFirst()
				.orElse(null));
	}

	void detach() {
		this.detached = true;
	}

	boolean isDetached() {
		return this.detached;
	}

	Thread thread() {
		return this.thread;
	}

	String name() {
		return PrintableText.of(this.thread.getName());
	}

	List<StackTraceElement> stack() {
		return this.detached ? List.of() : List.of(this.thread.getStackTrace());
	}

	/**
	 * Return the stack of the thread as a log shows it.
	 */
	String stackTrace() {
		return stack().stream().map((element) -> "\n\tat " + element).collect(Collectors.joining());
	}

	/**
	 * Return whether the hold will not end by itself, because its thread has ended.
	 */
	boolean hasLeaked() {
		return !this.detached && !this.thread.isAlive();
	}

	/**
	 * Say why the hold cannot end before the shutdown that the calling thread waits in.
	 * @return the reason, or {@code null} if there is none
	 */
	@Nullable String reasonNotToWait() {
		if (this.detached) {
			return null;
		}
		if (this.thread == Thread.currentThread()) {
			return "stops the application itself";
		}
		if (!this.thread.isAlive()) {
			return "has ended without releasing it";
		}
		return stack().stream().anyMatch((frame) -> frame.getClassName().equals("java.lang.Shutdown"))
				? "has called System.exit" : null;
	}

	/**
	 * Say where the lock was acquired. A thread that runs a body is still there.
	 */
	String site() {
		StackFrame frame = this.site;
		return (frame != null) ? frame.toStackTraceElement().toString()
				: Arrays.stream(this.thread.getStackTrace())
					.dropWhile((element) -> !OWN.contains(element.getClassName()))
					.dropWhile((element) -> OWN.contains(element.getClassName()))
					.map(StackTraceElement::toString)
					.findFirst()
					.orElse("an unknown place");
	}

}
