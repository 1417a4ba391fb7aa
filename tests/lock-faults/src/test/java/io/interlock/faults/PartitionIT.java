package io.interlock.faults;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.process.Surroundings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A true partition: not a packet passes between one server and the two others, elections
 * included, while a holder stays connected to that server.
 */
class PartitionIT {

	private static final Duration TIMEOUT = Duration.ofMinutes(3);

	private static final List<String> rows = new ArrayList<>();

	@BeforeAll
	static void checkTools() throws Exception {
		assumeTrue(System.getProperty("user.name").equals("root"), "Only root can make network namespaces");
		for (String check : List.of("ip -V", "nsenter -V", "unshare --net iptables -L")) {
			assumeTrue(succeeds(check), () -> "Network namespaces need the packages util-linux, iproute2 and iptables, "
					+ "and a system that permits them: '%s' failed".formatted(check));
		}
	}

	private static boolean succeeds(String command) throws InterruptedException {
		try {
			return new ProcessBuilder(command.split(" ")).redirectErrorStream(true)
				.redirectOutput(Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@AfterAll
	static void publish() {
		Figures.publish("partition", """
				| Server of the holder | session | from the next grant to the last `true` |
				|---|---|---|
				""" + String.join("", rows), "");
	}

	@ParameterizedTest
	@ValueSource(strings = { Partition.LEADER, "follower" })
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER,
			note = "elections included")
	void holderBesideTheMinorityKnowsInTime(String minority) {
		try (JavaProcess process = JavaProcess.start(Partition.class,
				Figures.logs("partition").resolve(minority + ".log"), JavaProcess.quickStart("256m"), List.of(minority),
				Surroundings.usual().withPrefix("unshare", "--net"))) {
			double overlap = Double.parseDouble(process.await(Partition.OVERLAP, TIMEOUT));
			rows.add("| %s | %d ms | %.0f ms |%n".formatted(minority, Partition.SESSION.toMillis(), overlap));
			assertThat(overlap).isNegative();
			String[] tokens = process.await(Partition.TOKENS, TIMEOUT).split(" ");
			assertThat(Long.parseLong(tokens[1])).as("token after the partition")
				.isGreaterThan(Long.parseLong(tokens[0]));
		}
	}

}
