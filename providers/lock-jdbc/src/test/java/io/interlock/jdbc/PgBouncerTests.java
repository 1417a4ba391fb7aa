package io.interlock.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks through a real PgBouncer, which gives the session to another client after each
 * transaction: they exclude as ever, and a waiter is not told of a release but asks.
 */
@ExtendWith(OutputCaptureExtension.class)
class PgBouncerTests {

	private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	@TempDir
	private Path directory;

	@Test
	@Deep
	void waiterIsNotToldAndAsks(CapturedOutput output) throws Exception {
		Assumptions.assumeTrue(Files.isExecutable(PROGRAM), "Skipped: PgBouncer is not installed");
		int port = Ports.free();
		try (PostgresServer server = PostgresServer.start()) {
			Process bouncer = bouncer(server.url().replaceFirst("^.*:(\\d+)/.*$", "$1"), port);
			try (JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL,
					"jdbc:postgresql://127.0.0.1:%d/postgres?prepareThreshold=0".formatted(port),
					Duration.ofMinutes(10), 4)) {
				instances.createTables();
				LeaseLockProvider holder = instances.start();
				LeaseLockProvider waiter = instances.start();
				LockGrant held = holder.attempt(STOCK, LockCaller.current()).outcome().get().orElseThrow();
				LockAttempt waiting = waiter.attempt(STOCK, LockCaller.current());
				await().atMost(PATIENCE)
					.until(() -> output.getAll().contains("PostgreSQL cannot notify this instance of released locks"));
				assertThat(waiting.outcome()).isNotDone();
				held.release();
				assertThat(waiting.outcome()).succeedsWithin(PATIENCE)
					.satisfies((grant) -> assertThat(grant.orElseThrow().fencingToken())
						.isGreaterThan(held.fencingToken()));
			}
			finally {
				bouncer.destroy();
				bouncer.waitFor();
			}
		}
	}

	private Process bouncer(String server, int port) throws IOException {
		Path settings = this.directory.resolve("pgbouncer.ini");
		Files.setPosixFilePermissions(this.directory, PosixFilePermissions.fromString("rwxr-xr-x"));
		Files.writeString(settings, """
				[databases]
				postgres = host=127.0.0.1 port=%s user=postgres
				[pgbouncer]
				listen_addr = 127.0.0.1
				listen_port = %d
				unix_socket_dir =
				auth_type = any
				pool_mode = transaction
				ignore_startup_parameters = extra_float_digits
				""".formatted(server, port));
		List<String> command = new ArrayList<>();
		if (System.getProperty("user.name").equals("root")) {
			command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
		}
		command.addAll(List.of(PROGRAM.toString(), "--quiet", settings.toString()));
		Process process = new ProcessBuilder(command).inheritIO().start();
		await().atMost(PATIENCE).until(() -> process.isAlive() && accepts(port));
		return process;
	}

	private static boolean accepts(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
