package io.interlock.template;

/**
 * Fails each creation of a thread by the present one, which copies its inheritable
 * variables, until it is closed.
 */
final class NoNewThreads extends InheritableThreadLocal<Boolean> implements AutoCloseable {

	NoNewThreads() {
		set(true);
	}

	@Override
	protected Boolean childValue(Boolean parentValue) {
		throw new OutOfMemoryError("unable to create native thread");
	}

	@Override
	public void close() {
		remove();
	}

}
