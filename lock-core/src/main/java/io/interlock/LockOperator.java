package io.interlock;

import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * An operator for whom a lock is taken. This class alone writes and reads the text that
 * stores keep for it, in place of the name of a thread. Immutable.
 *
 * @param name name of the operator
 * @param reason why it takes the lock, if it gave a reason
 * @since 0.1.0
 */
public record LockOperator(String name, @Nullable String reason) {

	/** Begins the text for each operator, and for no thread. */
	public static final String START = "operator ";

	private static final String REASON = " (reason: ";

	/** Only the first mark of a reason counts in a text, so a name has none. */
	public LockOperator {
		Assert.notNull(name, "'name' must not be null");
		name = PrintableText.of(name.replace(REASON, " ("));
	}

	/** Return the text for this operator, which views show as its thread. */
	public String text() {
		return START + this.name + ((this.reason != null) ? REASON + this.reason + ")" : "");
	}

	/** Return the operator that the text of a caller names, if any. */
	public static @Nullable LockOperator of(@Nullable String text) {
		if (text == null || !text.startsWith(START)) {
			return null;
		}
		int mark = text.indexOf(REASON);
		if (mark < 0) {
			return new LockOperator(text.substring(START.length()), null);
		}
		String reason = text.substring(mark + REASON.length());
		return new LockOperator(text.substring(START.length(), mark),
				reason.endsWith(")") ? reason.substring(0, reason.length() - 1) : reason);
	}

	/** A thread that takes locks for an operator. */
	public static final class OperatorThread extends Thread {

		private final LockOperator operator;

		/** Create a thread, which is not started. */
		public OperatorThread(LockOperator operator, Runnable task) {
			super(task, "interlock-worker-operator");
			this.operator = operator;
		}

		/** Return the operator for whom the thread takes locks. */
		public LockOperator operator() {
			return this.operator;
		}

	}

}
