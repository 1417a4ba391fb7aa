package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.rule.ChangedSources;
import io.interlock.rule.ChangedSources.Edit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Changes the engine at random places, one line at a time, and lets the simulation find
 * it out. Not part of a build: {@code .ci/engine-mutants} runs it. What is not found has
 * no effect, or the simulation is too weak: look at it.
 */
@EnabledIfSystemProperty(named = "interlock.mutants.count", matches = "\\d+",
		disabledReason = ".ci/engine-mutants runs it")
class EngineMutantsTests {

	private static final Path SOURCES = Path.of("..", "lock-zookeeper", "src", "main", "java", "io", "interlock",
			"zookeeper", "internal", "engine");

	/** What of the engine the simulation runs. */
	private static final List<String> TYPES = List.of("AttemptSteps", "NodeAttempt", "QueuedNode", "Listing",
			"Deletions", "WriteQueue", "NodeGrant", "NodeMinHold", "NodeWatch");

	private static final List<Operator> OPERATORS = List.of(
			new Operator("negate", "^(\t+(?:else )?if \\()(.+)(\\) \\{)$", "$1!($2)$3"),
			new Operator("swap", "(\\((?:[^()]|\\([^()]*\\))+\\))( \\? )", "(!$1)$2"),
			new Operator("drop", "^\t\t+(?!return|throw|super|this\\()[\\w.]+[ (].*;$", ";"),
			new Operator("return early", "^(\t(?!\t|abstract)[\\w<> ]*void \\w+\\(.*\\) \\{)$",
					"$1 if (Boolean.TRUE) { return; }"),
			new Operator("constant", "\\btrue\\b", "false"), new Operator("constant", "\\bfalse\\b", "true"),
			new Operator("and", "&&", "||"), new Operator("or", "\\|\\|", "&&"), new Operator("equal", "==", "!="),
			new Operator("unequal", "!=", "=="), new Operator("limit", " < ", " <= "),
			new Operator("limit", " > ", " >= "));

	private static final int COUNT = Integer.getInteger("interlock.mutants.count", 40);

	private static final int SCHEDULES = Integer.getInteger("interlock.mutants.schedules", 5_000);

	private static final long SEED = Long.getLong("interlock.mutants.seed", 1);

	@Test
	void simulationFindsRandomChanges() throws Exception {
		List<Mutant> mutants = mutants();
		Collections.shuffle(mutants, new Random(SEED));
		int tried = 0;
		int found = 0;
		for (Mutant mutant : mutants.subList(0, Math.min(3 * COUNT, mutants.size()))) {
			ChangedSources changed = mutant.compile();
			if (changed != null && tried < COUNT) {
				tried++;
				String violation = hunt(changed);
				found += (violation != null) ? 1 : 0;
				System.out.println("| " + mutant + " | " + ((violation != null) ? violation : "**nothing**") + " |");
			}
		}
		System.out.printf("%d of %d found, of %d places, with seed %d%n", found, tried, mutants.size(), SEED);
		assertThat(tried).isEqualTo(COUNT);
	}

	private static List<Mutant> mutants() throws IOException {
		List<Mutant> mutants = new ArrayList<>();
		for (String type : TYPES) {
			List<String> lines = Files.readAllLines(SOURCES.resolve(type + ".java"));
			for (int i = 0; i < lines.size(); i++) {
				String text = lines.get(i).strip();
				if (!text.startsWith("*") && !text.startsWith("/") && !text.startsWith("@")
						&& lines.get(i).startsWith("\t")) {
					for (Operator operator : OPERATORS) {
						operator.apply(lines, type, i, mutants);
					}
				}
			}
		}
		return mutants;
	}

	/**
	 * Run schedules, half of them wide, and half of these where writes travel together.
	 * @return what was found, or {@code null}
	 */
	private static String hunt(ChangedSources changed) throws Exception {
		Method hunt = changed.loadClass(Simulation.class.getName())
			.getDeclaredMethod("hunt", int.class, List.class, boolean.class, int.class);
		hunt.setAccessible(true);
		FutureTask<String> task = new FutureTask<>(() -> {
			try {
				count(changed);
				for (int allowed : new int[] { Integer.MAX_VALUE, 1 }) {
					for (boolean wide : new boolean[] { false, true }) {
						Map<?, ?> found = (Map<?, ?>) hunt.invoke(null, SCHEDULES / 4, List.of(), wide, allowed);
						if (!found.isEmpty()) {
							return found.toString().split("[:}]")[0].substring(1);
						}
					}
				}
				return null;
			}
			catch (InvocationTargetException ex) {
				return (ex.getCause() instanceof AssertionError) ? "counts of requests"
						: ex.getCause().getClass().getSimpleName();
			}
		});
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
		try {
			return task.get(2, TimeUnit.MINUTES);
		}
		catch (TimeoutException ex) {
			return "no end of a step";
		}
	}

	/** Run the tests of {@link SimulatedRequestCountTests}. */
	private static void count(ChangedSources changed) throws ReflectiveOperationException {
		Class<?> tests = changed.loadClass(SimulatedRequestCountTests.class.getName());
		for (Method test : tests.getDeclaredMethods()) {
			if (test.isAnnotationPresent(Test.class)) {
				Constructor<?> constructor = tests.getDeclaredConstructor();
				constructor.setAccessible(true);
				test.setAccessible(true);
				test.invoke(constructor.newInstance());
			}
		}
	}

	/**
	 * A kind of change.
	 *
	 * @param name its name
	 * @param from what it changes in a line
	 * @param to what it puts in its place
	 */
	private record Operator(String name, String from, String to) {

		void apply(List<String> lines, String type, int line, List<Mutant> mutants) {
			Matcher matcher = Pattern.compile(this.from).matcher(lines.get(line));
			if (matcher.find()) {
				List<String> changed = new ArrayList<>(lines);
				changed.set(line, matcher.replaceFirst(this.to));
				mutants.add(new Mutant(type, line + 1, this.name, lines, changed));
			}
		}

	}

	/**
	 * A change of one line.
	 *
	 * @param type the type
	 * @param line the number of the line
	 * @param operator what is done to it
	 * @param lines all lines of the type
	 * @param changed the same with the change
	 */
	private record Mutant(String type, int line, String operator, List<String> lines, List<String> changed) {

		/** Return what it is compiled to, or {@code null} if it is not Java. */
		ChangedSources compile() {
			try {
				return new ChangedSources(Simulation.class,
						List.of(Edit.in(this.type, String.join("\n", this.lines), String.join("\n", this.changed))));
			}
			catch (AssertionError ex) {
				return null;
			}
		}

		@Override
		public String toString() {
			return "`%s:%d` | %s | `%s`".formatted(this.type, this.line, this.operator,
					this.lines.get(this.line - 1).strip().replace("|", "\\|"));
		}

	}

}
