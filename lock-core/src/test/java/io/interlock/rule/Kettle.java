package io.interlock.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Something to change: it tells what it does. */
class Kettle implements Supplier<List<String>> {

	private static final int CUPS = 200;

	private final List<String> done = new ArrayList<>();

	private TimeUnit unit = TimeUnit.SECONDS;

	private boolean full;

	@Override
	public List<String> get() {
		fill(2);
		Runnable boiling = () -> boil(3L, "water");
		boiling.run();
		serve(CUPS);
		return this.done;
	}

	private void fill(int times) {
		for (int i = 0; i < times; i++) {
			this.done.add("filled");
		}
		this.full = true;
	}

	private void fill(String what) {
		this.done.add("filled with " + what);
	}

	private String boil(long minutes, String what) {
		this.done.add("boiled %s for %d %s".formatted(what, minutes, this.unit));
		return what;
	}

	private String burn(long minutes, String what) {
		this.done.add("burnt %s for %d %s".formatted(what, minutes, TimeUnit.HOURS));
		return what;
	}

	private void serve(int cups) {
		if (isFull() && this.full) {
			note("served %d cups".formatted(cups));
		}
		try {
			throw new IllegalStateException("spilt");
		}
		catch (RuntimeException ex) {
			this.done.add(ex.getMessage());
		}
	}

	boolean isFull() {
		return this.full;
	}

	void note(String what) {
		this.done.add(what);
	}

	static String boilTwice(Kettle kettle, long minutes, String what, Kettle caller) {
		kettle.note("boiled twice as long as %d by %s".formatted(minutes, (kettle == caller) ? "itself" : "another"));
		kettle.fill(what);
		return what;
	}

	static boolean isHalfFull(Kettle kettle) {
		kettle.note("half full");
		return true;
	}

}
