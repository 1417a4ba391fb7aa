package io.interlock.template;

import java.lang.StackWalker.StackFrame;
import java.time.Instant;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.LockOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The thread that a hold belongs to, and where it acquired the lock. Invariant: the hold
 * is the thread's for as long as one of its handles is there, that is, in the handles of
 * that thread; those are looked at anew each time, so no note about them can be wrong.
 */
final class Holder {

	private static final Log logger = LogFactory.getLog(Holder.class);

	/** Classes of this package that applications call. */
	private static final Pattern OWN = Pattern
		.compile("io\\.interlock\\.template\\.(Lock(Template|Operations)|TemplateLock)");

	/** Classes between a caller and this package: proxies, and those of the JDK. */
	private static final Pattern BETWEEN = Pattern
		.compile("io\\.interlock\\.interceptor\\.|org\\.springframework\\.aop\\.|java\\.|jdk\\.|.*\\$\\$");

	private final Thread thread;

	/** {@code null} without a thread. */
	private final @Nullable Deque<HoldHandle> handlesOfThread;

	private final @Nullable LockOperator operator;

	private volatile @Nullable StackFrame site;

	private volatile boolean detached;

	private volatile boolean leakTold;

	private volatile @Nullable CompletableFuture<?> result;

	Holder(Thread thread, @Nullable Deque<HoldHandle> handlesOfThread, @Nullable LockOperator operator) {
		this.thread = thread;
		this.handlesOfThread = handlesOfThread;
		this.operator = operator;
	}

	void worksFor(CompletableFuture<?> result) {
		this.result = result;
	}

	/** Run an action, which may block, on or after a cancellation of the result. */
	void onCancellation(Runnable action) {
		CompletableFuture<?> asked = this.result;
		if (asked != null) {
			asked.whenComplete((value, failure) -> {
				if (asked.isCancelled()) {
					AsyncThreads.tell(action);
				}
			});
		}
	}

	/** Record where a handle was acquired that may outlive the calling method. */
	void acquireHere() {
		this.site = StackWalker.getInstance()
			.walk((frames) -> frames.dropWhile((frame) -> !OWN.matcher(frame.getClassName()).matches())
				.dropWhile((frame) -> isNoCaller(frame.getClassName()))
				.findFirst()
				.orElse(null));
	}

	private static boolean isNoCaller(String className) {
		return OWN.matcher(className).matches() || BETWEEN.matcher(className).lookingAt();
	}

	void detach() {
		this.detached = true;
	}

	boolean isDetached() {
		return this.handlesOfThread == null || (this.detached
				&& this.handlesOfThread.stream().noneMatch((handle) -> handle.hold().holder() == this));
	}

	/** The handles may change between the two looks, so each looks for what it tells. */
	String transactionOf(Hold hold) {
		return (this.handlesOfThread != null
				&& this.handlesOfThread.stream().anyMatch((handle) -> handle.isTransactionOf(hold))
				&& this.handlesOfThread.stream().noneMatch((handle) -> handle.isBodyOf(hold)))
						? ", kept by its open transaction" : "";
	}

	@Nullable Deque<HoldHandle> handlesOfThread() {
		return this.handlesOfThread;
	}

	Thread thread() {
		return this.thread;
	}

	@Nullable LockOperator operator() {
		return this.operator;
	}

	/** Return the name of the thread, or the operator in whose name it took the lock. */
	String name() {
		return (this.operator != null) ? this.operator.text() : Wait.nameOf(this.thread);
	}

	List<StackTraceElement> stack() {
		return isDetached() ? List.of() : List.of(this.thread.getStackTrace());
	}

	/** Return the stack for a log, empty if it is not known or the thread has ended. */
	String whereabouts() {
		List<StackTraceElement> stack = stack();
		return stack.isEmpty() ? ""
				: stack.stream().map((element) -> "\n\tat " + element).collect(Collectors.joining("", " It is at", ""));
	}

	void warnIfLeaked(LockId id, Instant acquiredAt) {
		if (!isDetached() && !this.thread.isAlive() && !this.leakTold) {
			this.leakTold = true;
			logger.warn(
					"Lock %s stays held, because thread '%s', which has held it since %s, has ended without releasing it. %s. Close its handle in a try-with-resources statement, or call detach() before it goes to another thread"
						.formatted(id, name(), acquiredAt, origin()));
		}
	}

	void warnIfMoved(LockId id, Predicate<String> isFirstMove) {
		Thread closer = Thread.currentThread();
		if (closer != this.thread && this.handlesOfThread != null && isFirstMove.test(id.name())) {
			logger.warn(("Lock %s, which thread '%s' has acquired, is released by thread '%s'. Until now, a request "
					+ "by the first thread would have joined that hold. Call detach() before a handle goes to "
					+ "another thread")
				.formatted(id, name(), Wait.nameOf(closer)));
		}
	}

	/** Return why the hold cannot end before the shutdown on the calling thread. */
	@Nullable String reasonNotToWait() {
		if (isDetached()) {
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

	void warnOfRelease(LockId id, Instant acquiredAt, String reason) {
		logger.warn("Lock %s is released at shutdown, because thread '%s', which has held it since %s, %s. %s"
			.formatted(id, name(), acquiredAt, reason, origin()));
	}

	String origin() {
		StackFrame frame = this.site;
		return ((frame != null) ? Optional.of(frame.toStackTraceElement())
				: Arrays.stream(this.thread.getStackTrace())
					.dropWhile((element) -> !OWN.matcher(element.getClassName()).matches())
					.dropWhile((element) -> isNoCaller(element.getClassName()))
					.findFirst())
			.map("It was acquired at %s"::formatted)
			.orElse("To see where it was acquired, set interlock.leak-detection=true");
	}

}
