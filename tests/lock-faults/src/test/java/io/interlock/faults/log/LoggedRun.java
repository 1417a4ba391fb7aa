package io.interlock.faults.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.interlock.faults.time.Lapse;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.proxy.TcpProxy;
import org.awaitility.Awaitility;

/**
 * One application through the outages of one store. What it logs is read from its file,
 * which has Spring Boot's default levels.
 */
final class LoggedRun {

	private static final Duration START = Duration.ofSeconds(60);

	private static final Duration DELAY = Duration.ofMillis(100);

	private static final String UNKNOWN_HOST = "unknown.invalid";

	private final LoggedStore store;

	private final Pace pace;

	private final Path directory;

	private final Map<Phase, List<String>> lines = new EnumMap<>(Phase.class);

	private int seen;

	LoggedRun(LoggedStore store, Pace pace, Path directory) {
		this.store = store;
		this.pace = pace;
		this.directory = directory;
	}

	Map<Phase, List<String>> lines() throws InterruptedException {
		this.lines.put(Phase.UNKNOWN_HOST, linesOfStart(UNKNOWN_HOST, "unknown"));
		try (TcpProxy proxy = TcpProxy.to(this.store.port())) {
			proxy.refuse();
			try (JavaProcess application = start("localhost", proxy.port(), "log")) {
				application.await(LoggedApplication.STARTED, START);
				pass(Phase.DOWN_AT_THE_START);
				proxy.heal();
				pass(Phase.REACHED);
				proxy.refuse();
				pass(Phase.DOWN);
				proxy.heal();
				pass(Phase.BACK);
				proxy.delay(DELAY);
				pass(Phase.SLOW);
				proxy.delay(Duration.ZERO);
				application.terminate();
				Awaitility.await().atMost(START).until(() -> !application.isAlive());
				note(Phase.STOPPED);
			}
		}
		return this.lines;
	}

	/** Return the lines of an application whose store is not there. */
	List<String> linesOfStart() throws InterruptedException {
		return linesOfStart("localhost", "log");
	}

	private List<String> linesOfStart(String host, String log) throws InterruptedException {
		try (JavaProcess lost = start(host, this.store.port(), log)) {
			lost.await(LoggedApplication.STARTED, START);
			Lapse.of(this.pace.phase());
			return logged(log);
		}
	}

	private void pass(Phase phase) throws InterruptedException {
		Lapse.of(this.pace.phase());
		note(phase);
	}

	private void note(Phase phase) {
		List<String> all = logged("log");
		this.lines.put(phase, all.subList(this.seen, all.size()));
		this.seen = all.size();
	}

	private JavaProcess start(String host, int port, String log) {
		try {
			Path levels = Files.writeString(this.directory.resolve("logback.xml"), """
					<configuration>
						<include resource="org/springframework/boot/logging/logback/base.xml"/>
					</configuration>""");
			List<String> arguments = new ArrayList<>(this.store.arguments(host, port, this.pace.lease()));
			arguments.addAll(List.of("--" + LoggedApplication.PERIOD + "=" + this.pace.period().toMillis(),
					"--spring.main.banner-mode=off", "--logging.config=" + levels,
					"--logging.pattern.file=%logger %level %msg%n",
					"--logging.file.name=" + this.directory.resolve(log)));
			return JavaProcess.start(LoggedApplication.class, null, JavaProcess.quickStart("128m"), arguments);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Return what was logged, without Spring's words about its start. */
	private List<String> logged(String log) {
		try {
			return Files.readAllLines(this.directory.resolve(log))
				.stream()
				.filter((line) -> !line
					.matches("(org\\.springframework\\.|" + LoggedApplication.class.getName() + ")\\S* INFO .*"))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * How long things take.
	 *
	 * @param phase each phase
	 * @param period the time from one run of the job to the next
	 * @param lease the time of silence after which a hold is lost
	 */
	record Pace(Duration phase, Duration period, Duration lease) {

	}

	/** What happens to the store, in this order. */
	enum Phase {

		UNKNOWN_HOST("unknown host"), DOWN_AT_THE_START("down at the start"), REACHED("reached"), DOWN("down"),
		BACK("back"), SLOW("slow by 100 ms"), STOPPED("stop of the application");

		private final String text;

		Phase(String text) {
			this.text = text;
		}

		String text() {
			return this.text;
		}

	}

}
