package io.interlock.zookeeper.internal.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.interlock.zookeeper.internal.engine.ChangedSources.Edit;
import org.junit.jupiter.api.Test;

/**
 * A JVM of {@link EngineMutantsTests} that lets the simulation look for one change of the
 * engine after the other. A thread in a step without an end cannot be stopped, but its
 * JVM can.
 */
final class MutantWorker {

	/** Answer for a change that is no Java. */
	static final String NO_JAVA = "no Java";

	/** Answer for a change that nothing finds. */
	static final String NOTHING = "nothing";

	static final Path SOURCES = Path.of("..", "lock-zookeeper", "src", "main", "java", "io", "interlock", "zookeeper",
			"internal", "engine");

	private final int schedules;

	private MutantWorker(int schedules) {
		this.schedules = schedules;
	}

	/**
	 * Answer each change, told as type, number of the line and its new text with tabs
	 * between them. Ends with its input.
	 * @param arguments how many schedules look for each change
	 * @throws IOException if the input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		MutantWorker worker = new MutantWorker(Integer.parseInt(arguments[0]));
		PrintStream answers = System.out;
		System.setOut(System.err);
		Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
			failure.printStackTrace();
			Runtime.getRuntime().halt(1);
		});
		BufferedReader changes = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String change = changes.readLine(); change != null; change = changes.readLine()) {
			String[] parts = change.split("\t", 3);
			new Thread(() -> answers.println(worker.answer(parts[0], Integer.parseInt(parts[1]), parts[2]))).start();
		}
		Runtime.getRuntime().halt(0);
	}

	private String answer(String type, int line, String text) {
		try {
			return hunt(compile(type, line, text));
		}
		catch (AssertionError ex) {
			return NO_JAVA;
		}
		catch (InvocationTargetException ex) {
			return (ex.getCause() instanceof AssertionError) ? "counts of requests"
					: ex.getCause().getClass().getSimpleName();
		}
		catch (IOException | ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ChangedSources compile(String type, int line, String text) throws IOException {
		List<String> lines = Files.readAllLines(SOURCES.resolve(type + ".java"));
		List<String> changed = new ArrayList<>(lines);
		changed.set(line - 1, text);
		return new ChangedSources(Simulation.class,
				List.of(Edit.in(type, String.join("\n", lines), String.join("\n", changed))));
	}

	/**
	 * Run schedules, half of them wide, and half of these where writes travel together.
	 */
	private String hunt(ChangedSources changed) throws ReflectiveOperationException {
		count(changed);
		Method hunt = changed.loadClass(Simulation.class.getName())
			.getDeclaredMethod("hunt", int.class, List.class, boolean.class, int.class);
		hunt.setAccessible(true);
		for (int allowed : new int[] { Integer.MAX_VALUE, 1 }) {
			for (boolean wide : new boolean[] { false, true }) {
				Map<?, ?> found = (Map<?, ?>) hunt.invoke(null, this.schedules / 4, List.of(), wide, allowed);
				if (!found.isEmpty()) {
					return found.toString().split("[:}]")[0].substring(1);
				}
			}
		}
		return NOTHING;
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

}
