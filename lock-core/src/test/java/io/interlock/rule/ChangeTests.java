package io.interlock.rule;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Change}, by what a {@link Kettle} does then.
 */
class ChangeTests {

	private static final String FILLED = "filled";

	private static final String BOILED = "boiled water for 3 SECONDS";

	private static final String SERVED = "served 200 cups";

	private static final String SPILT = "spilt";

	@Test
	void typeIsLoadedOnceMoreWithoutAChange() throws ReflectiveOperationException {
		assertThat(new ChangedCode(Kettle.class, List.of()).loadClass(Kettle.class.getName()))
			.isNotSameAs(Kettle.class);
		assertThat(done()).containsExactly(FILLED, FILLED, BOILED, SERVED, SPILT);
	}

	@Test
	void methodIsSkipped() throws ReflectiveOperationException {
		assertThat(done(Change.of(Kettle.class, "fill(int)").isSkipped())).containsExactly(BOILED, SPILT);
	}

	@Test
	void methodGivesAConstant() throws ReflectiveOperationException {
		assertThat(done(Change.of(Kettle.class, "isFull").gives(false))).containsExactly(FILLED, FILLED, BOILED, SPILT);
	}

	@Test
	void methodGoesToAStaticOne() throws ReflectiveOperationException {
		assertThat(done(Change.of(Kettle.class, "isFull").goesTo(Kettle.class, "isHalfFull"))).containsExactly(FILLED,
				FILLED, BOILED, "half full", SERVED, SPILT);
	}

	@Test
	void callInsideALambdaIsSkipped() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "get").call("boil").isSkipped())).containsExactly(FILLED, FILLED,
				SERVED, SPILT);
	}

	@Test
	void callGivesAConstant() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "serve").call("isFull").gives(false))).containsExactly(FILLED, FILLED,
				BOILED, SPILT);
	}

	@Test
	void callGoesToAnotherMethod() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "get").call("Kettle.boil(long, String)").goesTo("burn")))
			.containsExactly(FILLED, FILLED, "burnt water for 3 HOURS", SERVED, SPILT);
	}

	@Test
	void callGoesToAStaticMethodWithTheCaller() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "get").call("boil").goesTo(Kettle.class, "boilTwice")))
			.containsExactly(FILLED, FILLED, "boiled twice as long as 3 by itself", "filled with water", SERVED, SPILT);
	}

	@Test
	void readGivesAConstant() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "boil").read("unit").gives(TimeUnit.DAYS))).containsExactly(FILLED,
				FILLED, "boiled water for 3 DAYS", SERVED, SPILT);
	}

	@Test
	void readOfAnInlinedConstantGivesAnotherOne() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "get").read("CUPS").gives(7))).containsExactly(FILLED, FILLED, BOILED,
				"served 7 cups", SPILT);
	}

	@Test
	void readGoesToAnotherField() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "<init>").read("TimeUnit.SECONDS").goesTo("HOURS")))
			.containsExactly(FILLED, FILLED, "boiled water for 3 HOURS", SERVED, SPILT);
	}

	@Test
	void writeIsSkipped() throws ReflectiveOperationException {
		assertThat(done(Change.in(Kettle.class, "fill").skipsWrite("full"))).containsExactly(FILLED, FILLED, BOILED,
				SPILT);
	}

	@Test
	void catchIsNarrowed() {
		Change change = Change.in(Kettle.class, "serve")
			.narrowsCatch(RuntimeException.class, IllegalArgumentException.class);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> done(change)).withMessage(SPILT);
	}

	@Test
	void changesOfOneTypeAddUp() throws ReflectiveOperationException {
		assertThat(done(Change.of(Kettle.class, "isFull").gives(false),
				Change.in(Kettle.class, "get").call("boil").isSkipped()))
			.containsExactly(FILLED, FILLED, SPILT);
	}

	@ParameterizedTest
	@MethodSource
	void changeOfNothingFails(Change change, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> done(change)).withMessage(message);
	}

	static Object[][] changeOfNothingFails() {
		String kettle = Kettle.class.getName();
		return new Object[][] {
				{ Change.in("io.interlock.rule.Pan", "get").call("boil").isSkipped(),
						"There is no type io.interlock.rule.Pan" },
				{ Change.of(Kettle.class, "empty").isSkipped(), kettle + " has no method 'empty'" },
				{ Change.of(Kettle.class, "fill").isSkipped(),
						kettle + " has 2 methods 'fill': name the types of their parameters" },
				{ Change.in(Kettle.class, "fill(long)").call("add").isSkipped(),
						kettle + " has no method 'fill(long)'" },
				{ Change.in(Kettle.class, "fill").call("boil").isSkipped(),
						"There is no call of boil in " + kettle + ".fill" },
				{ Change.in(Kettle.class, "get").call("Pan.boil").isSkipped(),
						"There is no call of Pan.boil in " + kettle + ".get" },
				{ Change.in(Kettle.class, "fill").read("unit").gives(null),
						"There is no read of unit in " + kettle + ".fill" },
				{ Change.in(Kettle.class, "boil").skipsWrite("unit"),
						"There is no write of unit in " + kettle + ".boil" },
				{ Change.in(Kettle.class, "serve").narrowsCatch(Throwable.class, Error.class),
						"There is no catch of Throwable in " + kettle + ".serve" },
				{ Change.in(Kettle.class, "serve").call("isFull").gives(1), "1 is no boolean" },
				{ Change.in(Kettle.class, "get").call("boil").goesTo("fry"),
						kettle + " has no 'fry' that looks like boil" },
				{ Change.in(Kettle.class, "boil").read("unit").goesTo("full"),
						kettle + " has no 'full' that looks like unit" },
				{ Change.in(Kettle.class, "get").call("boil").goesTo(Kettle.class, "isHalfFull"),
						"Kettle has no static method 'isHalfFull' that could take the place of "
								+ "(Lio/interlock/rule/Kettle;JLjava/lang/String;)Ljava/lang/String;" },
				{ Change.in(Kettle.class, "<init>").read("SECONDS").gives(Access.CALL),
						"The change of the read of SECONDS in " + kettle + ".<init> gives no valid code" } };
	}

	@SuppressWarnings("unchecked")
	private static List<String> done(Change... changes) throws ReflectiveOperationException {
		Class<?> type = new ChangedCode(Kettle.class, List.of(changes)).loadClass(Kettle.class.getName());
		Constructor<?> constructor = type.getDeclaredConstructor();
		constructor.setAccessible(true);
		return ((Supplier<List<String>>) constructor.newInstance()).get();
	}

}
