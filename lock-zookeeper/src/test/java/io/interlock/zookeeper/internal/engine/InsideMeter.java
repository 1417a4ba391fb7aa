package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts how many are inside at once, in memory that processes share through a file.
 * Atomic operations on a mapped buffer hold between processes of one machine.
 */
final class InsideMeter {

	private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

	private static final int INSIDE = 0;

	private static final int MOST = 4;

	private static final int VISITS = 8;

	private final ByteBuffer memory;

	private InsideMeter(ByteBuffer memory) {
		this.memory = memory;
	}

	static InsideMeter in(Path directory) throws IOException {
		try (FileChannel file = FileChannel.open(directory.resolve("inside"), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return new InsideMeter(file.map(MapMode.READ_WRITE, 0, 12));
		}
	}

	/**
	 * Be inside for a moment.
	 * @param duration how long
	 */
	void visit(Duration duration) {
		int inside = 1 + (int) INTS.getAndAdd(this.memory, INSIDE, 1);
		for (int most = most(); most < inside; most = most()) {
			INTS.compareAndSet(this.memory, MOST, most, inside);
		}
		LockSupport.parkNanos(duration.toNanos());
		INTS.getAndAdd(this.memory, VISITS, 1);
		INTS.getAndAdd(this.memory, INSIDE, -1);
	}

	/**
	 * Return the largest number that was inside at once.
	 */
	int most() {
		return (int) INTS.getVolatile(this.memory, MOST);
	}

	int visits() {
		return (int) INTS.getVolatile(this.memory, VISITS);
	}

}
