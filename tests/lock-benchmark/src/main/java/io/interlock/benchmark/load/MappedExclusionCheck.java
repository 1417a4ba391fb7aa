package io.interlock.benchmark.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.interlock.LockMode;

/**
 * A check of exclusive holders across JVMs, in a file that all of them map. The words are
 * read and written in order, and never compared and swapped: the lock alone makes them
 * right.
 *
 * @since 0.1.0
 */
public final class MappedExclusionCheck implements ExclusionCheck {

	private static final VarHandle WORDS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int HOLDER = 0;

	/**
	 * Words on cache lines of their own, as in an application that guards several things.
	 */
	private static final int BEGUN = 64;

	private static final int ENDED = 128;

	private static final int SIZE = 192;

	private final ByteBuffer words;

	/**
	 * Map a file.
	 * @param file the file, made if it is not there
	 */
	public MappedExclusionCheck(Path file) {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			this.words = channel.map(MapMode.READ_WRITE, 0, SIZE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void enter(long holder, LockMode mode) {
		expect(0, holder);
		set(HOLDER, holder);
		set(BEGUN, get(BEGUN) + 1);
	}

	@Override
	public void exit(long holder, LockMode mode) {
		expect(holder, holder);
		set(ENDED, get(ENDED) + 1);
		set(HOLDER, 0);
	}

	private void expect(long expected, long self) {
		long seen = get(HOLDER);
		if (seen != expected) {
			throw new ExclusionViolation("Holder %x saw %x".formatted(self, seen));
		}
	}

	private long get(int word) {
		return (long) WORDS.getVolatile(this.words, word);
	}

	private void set(int word, long value) {
		WORDS.setVolatile(this.words, word, value);
	}

	@Override
	public long exclusiveHolders() {
		if (get(BEGUN) != get(ENDED)) {
			throw new ExclusionViolation("%d began and %d ended".formatted(get(BEGUN), get(ENDED)));
		}
		return get(ENDED);
	}

}
