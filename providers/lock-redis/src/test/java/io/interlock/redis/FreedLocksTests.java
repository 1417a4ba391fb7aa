package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FreedLocks} with messages of other programs.
 */
@ExtendWith(OutputCaptureExtension.class)
class FreedLocksTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockId STOCK = new LockId("stock", null);

	private static final LockId HELD_BACK = new LockId("fails", null);

	private final LockKeys keys = new LockKeys("interlock:");

	private final List<LockId> freed = new CopyOnWriteArrayList<>();

	private volatile String listener = "";

	static boolean isInstalled() {
		return RedisServer.isInstalled();
	}

	@Test
	@EnabledIf("isInstalled")
	void garbageIsOneWarning(CapturedOutput output) {
		try (RedisServer server = RedisServer.start()) {
			LettuceConnectionFactory connections = new LettuceConnectionFactory("localhost", server.port());
			connections.afterPropertiesSet();
			connections.start();
			try (FreedLocks locks = new FreedLocks(connections, this.keys, "interlock:")) {
				locks.listen(this::hear);
				await().atMost(PATIENCE).until(() -> server.command("PUBSUB", "CHANNELS").contains(locks.channel()));
				for (String garbage : List.of("x", "", "interlock:{}", "interlock:{a:}", "interlock:{%u0024}",
						"a\n12:00:00.000 WARN audit", "interlock:{" + "a".repeat(2000) + "}",
						this.keys.keyOf(HELD_BACK))) {
					server.command("PUBLISH", locks.channel(), garbage);
				}
				server.command("PUBLISH", locks.channel(), this.keys.keyOf(STOCK));
				await().atMost(PATIENCE).until(() -> this.freed.contains(STOCK));
			}
			finally {
				connections.destroy();
			}
		}
		assertThat(linesOf(this.listener, output)).filteredOn((line) -> line.matches("(?s)\\S+ (WARN|ERROR) .*"))
			.singleElement()
			.asString()
			.doesNotContainPattern("\\n\\s+at ")
			.contains("WARN", "Another program sends messages on the channel 'interlock:freed:", "'x'");
	}

	/**
	 * Return what a thread has logged, with the stacks: others may have clients of other
	 * tests.
	 */
	private static Stream<String> linesOf(String thread, CapturedOutput output) {
		return Pattern.compile("(?m)^(?=\\d\\d:\\d\\d:\\d\\d\\.)")
			.splitAsStream(output.getAll())
			.filter((line) -> line.contains("[" + thread + "]"));
	}

	private void hear(LockId lock) {
		this.listener = Thread.currentThread().getName();
		if (lock.equals(HELD_BACK)) {
			throw new IllegalStateException("the test lets it fail");
		}
		this.freed.add(lock);
	}

}
