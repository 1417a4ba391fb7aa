package io.interlock.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that a file of H2 keeps without their holder. H2 writes what it commits
 * half a second later.
 */
@ExtendWith(OutputCaptureExtension.class)
class H2FileTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String WARNING = "SET WRITE_DELAY 0";

	private JdbcInstances instances;

	private String url;

	@BeforeEach
	void open(@TempDir Path directory) {
		this.url = "jdbc:h2:file:" + directory.resolve("shop");
		this.instances = new JdbcInstances(LockDatabase.H2, this.url, LEASE, 4);
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_PROCESS_IS_KILLED, note = "H2 in a file, at once")
	void keptLocksOutliveAProcessThatIsKilledAtOnce() {
		try (JavaProcess process = JavaProcess.start(H2FileWorker.class, null, JavaProcess.quickStart("96m"),
				List.of(this.url))) {
			process.await(H2FileWorker.KEPT, PATIENCE);
			await().atMost(PATIENCE).until(() -> !process.isAlive());
		}
		JdbcLeaseStore store = this.instances.store(this.instances.pool());
		for (LockMode mode : H2FileWorker.MODES) {
			assertThat(store.acquire(H2FileWorker.contender("next-" + mode, mode), LEASE, false).granted())
				.as("%s is free", mode)
				.isFalse();
		}
	}

	@Test
	void userWithoutTheRightToWriteIsToldOnce(CapturedOutput output) {
		keepAsShop(2);
		assertThat(output.toString().split(WARNING, -1)).hasSize(2);
	}

	@Test
	void databaseThatWritesAtOnceIsNoNews(CapturedOutput output) {
		this.instances.createTables();
		JdbcClient.create(this.instances.pool()).sql("SET WRITE_DELAY 0").update();
		keepAsShop(1);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void administratorIsToldNothing(CapturedOutput output) {
		this.instances.createTables();
		keep(this.instances.store(this.instances.pool()), 0);
		assertThat(output).doesNotContain(WARNING);
	}

	private void keepAsShop(int count) {
		this.instances.createTables();
		JdbcClient administrator = JdbcClient.create(this.instances.pool());
		administrator.sql("CREATE USER shop PASSWORD ''").update();
		administrator.sql("GRANT ALL ON SCHEMA public TO shop").update();
		JdbcLeaseStore store = this.instances.store(new DriverManagerDataSource(this.url, "shop", ""));
		for (int i = 0; i < count; i++) {
			keep(store, i);
		}
	}

	private static void keep(JdbcLeaseStore store, int number) {
		LeaseContender holder = H2FileWorker.contender("holder-" + number, LockMode.SHARED);
		assertThat(store.acquire(holder, LEASE, false).granted()).isTrue();
		assertThat(store.keep(holder, H2FileWorker.contender("kept-" + number, LockMode.SHARED), H2FileWorker.HOLD))
			.isTrue();
	}

}
