package io.interlock.benchmark.load;

import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockMode;

/**
 * A check that no writer overlaps a reader or a writer, within this JVM. Readers, which
 * overlap each other, count themselves atomically; writers rely on the lock.
 *
 * @since 0.1.0
 */
public final class SharedExclusionCheck implements ExclusionCheck {

	private final PlainExclusionCheck writers = new PlainExclusionCheck();

	private final AtomicInteger readers = new AtomicInteger();

	private volatile boolean written;

	@Override
	public void enter(long holder, LockMode mode) {
		if (mode == LockMode.SHARED) {
			this.readers.incrementAndGet();
			expectNoWriter(holder);
			return;
		}
		this.writers.enter(holder, mode);
		this.written = true;
		expectNoReader(holder);
	}

	@Override
	public void exit(long holder, LockMode mode) {
		if (mode == LockMode.SHARED) {
			expectNoWriter(holder);
			this.readers.decrementAndGet();
			return;
		}
		expectNoReader(holder);
		this.written = false;
		this.writers.exit(holder, mode);
	}

	private void expectNoWriter(long holder) {
		if (this.written) {
			throw new ExclusionViolation("Reader %d saw a writer".formatted(holder));
		}
	}

	private void expectNoReader(long holder) {
		int seen = this.readers.get();
		if (seen != 0) {
			throw new ExclusionViolation("Writer %d saw %d readers".formatted(holder, seen));
		}
	}

	@Override
	public long exclusiveHolders() {
		return this.writers.exclusiveHolders();
	}

}
