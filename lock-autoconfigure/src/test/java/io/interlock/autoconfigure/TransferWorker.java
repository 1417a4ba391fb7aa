package io.interlock.autoconfigure;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.testsupport.process.JavaProcess;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A process that moves amounts between the accounts in a file, which it shares with
 * others. Nothing but locks keeps two threads from moving the same amount.
 */
final class TransferWorker {

	static final int ACCOUNTS = 100;

	static final int THREADS = 16;

	static final String READY = "ready";

	static final String DONE = "done: ";

	private TransferWorker() {
	}

	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("interlock.zookeeper.connect-string=" + args[0], "app.accounts=" + args[1],
					"spring.docker.compose.enabled=false")
			.run()) {
			Accounts accounts = context.getBean(Accounts.class);
			accounts.transfer(0, 1, 0);
			System.out.println(READY);
			System.in.read();
			JavaProcess.endWithParent();
			System.out.println(DONE + run(accounts, Integer.parseInt(args[2])));
		}
	}

	private static int run(Accounts accounts, int transfers) throws Exception {
		Callable<Integer> thread = () -> {
			Random random = new Random();
			for (int done = 0; done < transfers; done++) {
				accounts.transfer(random.nextInt(ACCOUNTS), random.nextInt(ACCOUNTS), random.nextInt(10));
			}
			return transfers;
		};
		ExecutorService executor = Executors.newFixedThreadPool(THREADS);
		try {
			int done = 0;
			for (Future<Integer> result : executor.invokeAll(Collections.nCopies(THREADS, thread))) {
				done += result.get();
			}
			return done;
		}
		finally {
			executor.shutdown();
		}
	}

	static LongBuffer open(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return channel.map(MapMode.READ_WRITE, 0, (long) ACCOUNTS * Long.BYTES).asLongBuffer();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
			ZooKeeperLockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class })
	static class Application {

		@Bean
		Accounts accounts(@Value("${app.accounts}") Path file) throws IOException {
			return new Accounts(open(file));
		}

	}

	static class Accounts {

		private final LongBuffer balances;

		Accounts(LongBuffer balances) {
			this.balances = balances;
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#to" }, waitTime = "60s")
		public void transfer(int from, int to, long amount) {
			if (from != to) {
				long balance = this.balances.get(from);
				long other = this.balances.get(to);
				Thread.yield();
				this.balances.put(from, balance - amount);
				this.balances.put(to, other + amount);
			}
		}

	}

}
