package io.interlock.autoconfigure;

import java.nio.LongBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that two processes move amounts between accounts, each transfer under the locks
 * of two accounts, without losing any and without waiting for each other for ever.
 */
@ExtendWith(SharedServer.class)
class TransfersTests {

	private static final int TRANSFERS = 15;

	private static final Duration BOUND = Duration.ofMinutes(3);

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void keepTheSumAndNeverWaitInACircle(LocalServer server, @TempDir Path directory) throws Exception {
		Path file = directory.resolve("accounts");
		LongBuffer balances = TransferWorker.open(file);
		IntStream.range(0, TransferWorker.ACCOUNTS).forEach((account) -> balances.put(account, 1000));
		try (JavaProcess one = worker(server, file); JavaProcess two = worker(server, file)) {
			for (JavaProcess worker : List.of(one, two)) {
				worker.await(TransferWorker.READY, BOUND);
			}
			for (JavaProcess worker : List.of(one, two)) {
				worker.send("go");
			}
			for (JavaProcess worker : List.of(one, two)) {
				assertThat(worker.await(TransferWorker.DONE, BOUND))
					.isEqualTo(Integer.toString(TransferWorker.THREADS * TRANSFERS));
			}
		}
		assertThat(IntStream.range(0, TransferWorker.ACCOUNTS).mapToLong(balances::get).sum())
			.isEqualTo(1000L * TransferWorker.ACCOUNTS);
		assertThat(IntStream.range(0, TransferWorker.ACCOUNTS).mapToLong(balances::get).distinct().count())
			.isGreaterThan(1);
	}

	private static JavaProcess worker(LocalServer server, Path file) {
		return JavaProcess.start(TransferWorker.class, null, JavaProcess.quickStart("96m"),
				List.of(server.connectString(), file.toString(), Integer.toString(TRANSFERS)));
	}

}
