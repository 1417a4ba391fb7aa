package io.interlock.testsupport.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JavaProcess}.
 */
class JavaProcessTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private JavaProcess process;

	@BeforeEach
	void start(@TempDir Path directory) {
		this.process = JavaProcess.start(Echo.class, directory.resolve("log"), JavaProcess.quickStart("32m"),
				List.of("said "));
	}

	@AfterEach
	void end() {
		this.process.close();
	}

	@Test
	void answersLineByLine() {
		assertThat(this.process.ask("a", LONG)).isEqualTo("said a");
		assertThat(this.process.ask("b", LONG)).isEqualTo("said b");
	}

	@Test
	void awaitsALineByItsStart() {
		this.process.send("one");
		this.process.send("two");
		assertThat(this.process.await("said t", LONG)).isEqualTo("wo");
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no SIGSTOP")
	void dropsAnAnswerThatComesTooLate() {
		assertThat(this.process.ask("first", LONG)).isEqualTo("said first");
		this.process.stop();
		assertThat(this.process.ask("late", Duration.ofMillis(100))).isEmpty();
		this.process.resume();
		assertThat(this.process.ask("next", LONG)).isEqualTo("said next");
	}

	@Test
	void saysWhatItSawWhenTheProcessEnds() {
		this.process.send("a");
		this.process.send("end");
		assertThatIllegalStateException().isThrownBy(() -> this.process.await("never", LONG))
			.withMessageStartingWith("Echo said no 'never' before it ended, but [said a]; its errors are in ");
		assertThat(this.process.ask("b", LONG)).isEmpty();
	}

	@Test
	@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no env")
	void runsInOtherSurroundings(@TempDir Path classes, @TempDir Path directory) {
		Surroundings surroundings = Surroundings.usual()
			.withClassPathCopiedTo(classes)
			.withEnvironment(Map.of("SAID", "elsewhere "))
			.withPrefix("env", "SAID_TOO=with a prefix ");
		try (JavaProcess other = JavaProcess.start(Echo.class, directory.resolve("other"),
				JavaProcess.quickStart("32m"), List.of("said "), surroundings)) {
			assertThat(other.ask("SAID", LONG)).isEqualTo("said elsewhere ");
			assertThat(other.ask("SAID_TOO", LONG)).isEqualTo("said with a prefix ");
			assertThat(other.ask("class path", LONG)).startsWith("said " + classes);
		}
	}

	/**
	 * Sends back each line with what it was started with; for the name of a variable, its
	 * value.
	 */
	static final class Echo {

		private Echo() {
		}

		public static void main(String[] args) throws IOException {
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
				String answer = line.equals("class path") ? System.getProperty("java.class.path")
						: System.getenv().getOrDefault(line, line);
				System.out.println(args[0] + answer);
			}
		}

	}

}
