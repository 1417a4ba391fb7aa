package io.interlock.template;

import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StackReserve}: how many frames have stack where it says that there is
 * enough.
 */
@Timeout(60)
class StackReserveTests {

	private static final long STACK_BYTES = 512 * 1024;

	private static final int CALLS_TO_COMPILE = 100_000;

	private int frames;

	@Test
	void reservesBeforeAndAfterItIsCompiled() throws Exception {
		onThreadOfItsOwn(() -> {
			for (int round = 0; round < 4; round++) {
				assertThat(framesBelow(StackReserve::ensureToBegin)).isGreaterThan(200);
				assertThat(framesBelow(StackReserve::ensureToEnd)).isGreaterThan(130);
				for (int call = 0; call < CALLS_TO_COMPILE; call++) {
					StackReserve.ensureToBegin();
					StackReserve.ensureToEnd();
				}
			}
		});
	}

	@Test
	void reservesByRecursion() throws Exception {
		IntConsumer recursion = StackReserve.recursion(600);
		onThreadOfItsOwn(() -> {
			for (int round = 0; round < 4; round++) {
				assertThat(framesBelow(() -> recursion.accept(0))).isGreaterThan(150);
				for (int call = 0; call < CALLS_TO_COMPILE; call++) {
					recursion.accept(0);
				}
			}
		});
	}

	/**
	 * The compiler may make the frames smaller between two measurements, but not in each
	 * round.
	 */
	@Test
	void reservesNothingWithoutAReserve() throws Exception {
		onThreadOfItsOwn(() -> assertThat(IntStream.range(0, 20).map((round) -> framesBelow(() -> {
		})).min().getAsInt()).isLessThan(100));
	}

	@Test
	void endNeedsLessThanTheBegin() throws Exception {
		onThreadOfItsOwn(() -> {
			int toBegin;
			int toEnd;
			do {
				toBegin = deepest(StackReserve::ensureToBegin);
				toEnd = deepest(StackReserve::ensureToEnd);
			}
			while (deepest(StackReserve::ensureToBegin) != toBegin);
			assertThat(toEnd).isGreaterThan(toBegin + 20);
		});
	}

	/**
	 * Count the frames that have stack at the deepest place where a reserve is granted.
	 * That place moves when {@link #dive} is compiled, and what was counted meanwhile
	 * says nothing.
	 */
	private int framesBelow(Runnable reserve) {
		int deepest;
		do {
			deepest = deepest(reserve);
			this.frames = 0;
			assertThat(passes(deepest, reserve, () -> count(0))).isFalse();
		}
		while (deepest(reserve) != deepest);
		return this.frames;
	}

	private static int deepest(Runnable reserve) {
		int passed = 0;
		int failed = 1_000_000;
		while (failed - passed > 1) {
			int depth = (passed + failed) / 2;
			if (passes(depth, reserve, () -> {
			})) {
				passed = depth;
			}
			else {
				failed = depth;
			}
		}
		return passed;
	}

	private static boolean passes(int depth, Runnable reserve, Runnable body) {
		try {
			dive(depth, reserve, body);
			return true;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

	private static int dive(int depth, Runnable reserve, Runnable body) {
		if (depth == 0) {
			reserve.run();
			body.run();
			return 0;
		}
		return dive(depth - 1, reserve, body) + 1;
	}

	private int count(int depth) {
		this.frames = depth;
		return count(depth + 1) + 1;
	}

	private static void onThreadOfItsOwn(Runnable body) throws Exception {
		Throwable[] failure = new Throwable[1];
		Thread thread = new Thread(null, () -> {
			try {
				body.run();
			}
			catch (Throwable ex) {
				failure[0] = ex;
			}
		}, "small-stack", STACK_BYTES);
		thread.start();
		thread.join();
		assertThat(failure[0]).isNull();
	}

}
