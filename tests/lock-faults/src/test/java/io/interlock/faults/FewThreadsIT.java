package io.interlock.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.faults.check.Outcome;
import io.interlock.faults.worker.Crowd;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.process.Surroundings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Thousands of holds that are lost at once in a process that may start hardly any thread
 * more: {@code ulimit -u} of a user of its own, because root has no such limit. Each
 * holder is told, and the instance acquires again.
 */
class FewThreadsIT {

	private static final int HOLDS = 5000;

	/** A session needs two threads of its client, which may be unable to start them. */
	private static final int THREADS_OF_A_CLIENT = 2;

	private static final int ENOUGH = 100;

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final Duration TOLD = Duration.ofSeconds(10);

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	/** A user that has no other process, whose threads would count too. */
	private static final String USER = "61234";

	private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

	private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

	private static final List<String> rows = new ArrayList<>();

	private static Server server;

	private static Surroundings surroundings;

	@BeforeAll
	static void start(@TempDir Path directory, @TempDir Path classes) throws Exception {
		assumeTrue(System.getProperty("user.name").equals("root"), "Only root can start a process as another user");
		assumeTrue(Files.isExecutable(SETPRIV) && Files.isExecutable(PRLIMIT),
				() -> "The package util-linux is missing: no " + SETPRIV + " or " + PRLIMIT);
		surroundings = Surroundings.usual()
			.withPrefix(SETPRIV.toString(), "--reuid=" + USER, "--regid=" + USER, "--clear-groups");
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		assumeTrue(succeeds(Stream.concat(surroundings.prefix().stream(), Stream.of("test", "-x", java)).toList()),
				() -> "User " + USER + " may not run " + java);
		Files.setPosixFilePermissions(classes, PosixFilePermissions.fromString("rwxr-xr-x"));
		surroundings = surroundings.withClassPathCopiedTo(classes);
		server = Server.standalone(directory, ServerSettings.quick());
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			server.close();
			Figures.publish("few-threads",
					"""
							| Holds | threads that can be started | told of the loss | from the cut to the last one | acquired after the outage |
							|---|---|---|---|---|
							"""
							+ String.join("", rows),
					"");
		}
	}

	@ParameterizedTest
	@CsvSource({ "hold, locks, 3", "share, holders of one lock, 3", "hold, locks, 0", "share, holders of one lock, 0" })
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.HARDLY_A_THREAD_CAN_BE_STARTED)
	void everyHolderIsToldAndTheInstanceGoesOn(String command, String title, int spare) throws Exception {
		try (TcpProxy link = TcpProxy.to(server.clientPort());
				JavaProcess process = JavaProcess.start(Crowd.class, Figures.logs("few-threads").resolve("crowd.log"),
						jvmOptions(), List.of(link.connectString(), SESSION.toString()), surroundings)) {
			assertThat(ask(process, command + " " + HOLDS)).isEqualTo("held");
			limitThreads(process, threads(process) + spare);
			int startable = Integer.parseInt(ask(process, "startable"));
			assertThat(startable).isLessThanOrEqualTo(spare);
			long cutAt = System.nanoTime();
			link.refuse();
			Awaitility.await()
				.atMost(SESSION.plus(TOLD))
				.untilAsserted(() -> assertThat(ask(process, "told")).startsWith(HOLDS + " "));
			long lastToldAt = Long.parseLong(ask(process, "told").split(" ")[1]);
			assertThat(ask(process, "lost")).isEqualTo(Integer.toString(HOLDS));
			link.heal();
			if (spare < THREADS_OF_A_CLIENT) {
				limitThreads(process, threads(process) + ENOUGH);
			}
			String[] again = ask(process, "acquire again PT30S").split(" ");
			rows.add("| %d %s | %d | %d | %d ms | %d ms |%n".formatted(HOLDS, title, startable, HOLDS,
					(lastToldAt - cutAt) / 1_000_000, Long.parseLong(again[1]) / 1_000_000));
			assertThat(again[0]).isEqualTo(Outcome.ACQUIRED.name());
			assertThat(ask(process, "timer")).isEqualTo("1");
		}
	}

	private static List<String> jvmOptions() {
		List<String> options = new ArrayList<>(JavaProcess.quickStart("256m"));
		options.add("-XX:-UsePerfData");
		return options;
	}

	private static String ask(JavaProcess process, String line) {
		process.send(line);
		return process.await(Crowd.ANSWER, TIMEOUT);
	}

	/**
	 * Run by that user: root in a container need not have the right.
	 */
	private static void limitThreads(JavaProcess process, long threads) throws Exception {
		List<String> command = List.of(PRLIMIT.toString(), "--pid", Long.toString(process.pid()),
				"--nproc=%d:".formatted(threads));
		assertThat(succeeds(Stream.concat(surroundings.prefix().stream(), command.stream()).toList())).isTrue();
	}

	private static long threads(JavaProcess process) throws IOException {
		try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
			return tasks.count();
		}
	}

	private static boolean succeeds(List<String> command) throws Exception {
		return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
	}

}
