package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
	void simulationFindsRandomChanges() throws IOException {
		List<Mutant> mutants = mutants();
		Collections.shuffle(mutants, new Random(SEED));
		int tried = 0;
		int found = 0;
		try (MutantHunt hunt = hunt(mutants.get(0))) {
			for (Mutant mutant : mutants.subList(0, Math.min(3 * COUNT, mutants.size()))) {
				String violation = (tried < COUNT) ? hunt.find(mutant.type(), mutant.line(), mutant.after())
						: MutantWorker.NO_JAVA;
				if (!violation.equals(MutantWorker.NO_JAVA)) {
					boolean isFound = !violation.equals(MutantWorker.NOTHING);
					tried++;
					found += isFound ? 1 : 0;
					System.out.println("| " + mutant + " | " + (isFound ? violation : "**nothing**") + " |");
				}
			}
		}
		System.out.printf("%d of %d found, of %d places, with seed %d%n", found, tried, mutants.size(), SEED);
		assertThat(tried).isEqualTo(COUNT);
	}

	@Test
	void changeWithoutAnEndIsFoundAndKeepsNoneBehindItFromBeingFound() throws IOException {
		Mutant early = mutants().stream()
			.filter((mutant) -> mutant.operator().equals("return early") && mutant.type().equals("NodeAttempt"))
			.findFirst()
			.orElseThrow();
		try (MutantHunt hunt = hunt(early)) {
			assertThat(hunt.find(early.type(), early.line(), early.before() + " while (Boolean.TRUE) { }"))
				.isEqualTo(MutantHunt.NO_END);
			assertThat(hunt.find(early.type(), early.line(), early.before())).isEqualTo(MutantWorker.NOTHING);
			assertThat(hunt.find(early.type(), early.line(), early.after())).isNotEqualTo(MutantHunt.NO_END)
				.isNotEqualTo(MutantWorker.NOTHING);
		}
	}

	/** Return a hunt that has taken its measure with no change. */
	private static MutantHunt hunt(Mutant mutant) {
		return new MutantHunt(SCHEDULES, mutant.type(), mutant.line(), mutant.before());
	}

	private static List<Mutant> mutants() throws IOException {
		List<Mutant> mutants = new ArrayList<>();
		for (String type : TYPES) {
			List<String> lines = Files.readAllLines(MutantWorker.SOURCES.resolve(type + ".java"));
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
				mutants.add(new Mutant(type, line + 1, this.name, lines.get(line), matcher.replaceFirst(this.to)));
			}
		}

	}

	/**
	 * A change of one line.
	 *
	 * @param type the type
	 * @param line the number of the line
	 * @param operator what is done to it
	 * @param before its text
	 * @param after its text with the change
	 */
	private record Mutant(String type, int line, String operator, String before, String after) {

		@Override
		public String toString() {
			return "`%s:%d` | %s | `%s`".formatted(this.type, this.line, this.operator,
					this.before.strip().replace("|", "\\|"));
		}

	}

}
