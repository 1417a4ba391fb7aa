package io.interlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.interlock.lease.LeaseStoreException;
import io.lettuce.core.RedisNoScriptException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ConfirmedBatches}, on a server that answers when it is told to.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConfirmedBatchesTests {

	private final List<String> sent = new ArrayList<>();

	private final List<CompletableFuture<Long>> answers = new ArrayList<>();

	private final ConfirmedBatches batches = new ConfirmedBatches(new ConfirmedBatches.Commands() {

		@Override
		public CompletionStage<Long> evaluate(RedisScript<Long> script, boolean known, List<String> keys,
				List<String> arguments) {
			return send((known ? "" : "text of ") + keys.get(0));
		}

		@Override
		public CompletionStage<Long> await(int replicas, Duration timeout) {
			return send("WAIT %d %d".formatted(replicas, timeout.toMillis()));
		}

	}, 2, Duration.ofMillis(300));

	private CompletableFuture<Long> send(String command) {
		CompletableFuture<Long> answer = new CompletableFuture<>();
		this.sent.add(command);
		this.answers.add(answer);
		return answer;
	}

	private CompletableFuture<Long> run(String key) {
		return this.batches.run(LeaseScripts.ACQUIRE, List.of(key), List.of()).toCompletableFuture();
	}

	private void answer(int command, long answer) {
		this.answers.get(command).complete(answer);
	}

	private static void assertRefused(CompletableFuture<Long> lock, String message) {
		assertThat(lock).isCompletedExceptionally();
		ThrowingCallable join = lock::join;
		assertThatExceptionOfType(Exception.class).isThrownBy(join)
			.havingCause()
			.isInstanceOfSatisfying(LeaseStoreException.class, (ex) -> assertThat(ex.isPassing()).isTrue())
			.withMessageContaining(message);
	}

	@Test
	void grantWaitsForReplicas() {
		CompletableFuture<Long> lock = run("a");
		assertThat(this.sent).containsExactly("a", "WAIT 2 300");
		answer(0, 7);
		assertThat(lock).isNotDone();
		answer(1, 2);
		assertThat(lock).isCompletedWithValue(7L);
	}

	@Test
	void refusalWaitsForNoReplica() {
		CompletableFuture<Long> lock = run("a");
		answer(0, -7);
		assertThat(lock).isCompletedWithValue(-7L);
	}

	@Test
	void tooFewReplicasRefuseAndSoDoesTheLogOnce(CapturedOutput output) {
		for (int i = 0; i < 4; i += 2) {
			CompletableFuture<Long> lock = run("a");
			answer(i, 7);
			answer(i + 1, 1);
			assertRefused(lock, "1 of 2 replicas confirmed the lock within 300 ms (interlock.redis.wait-replicas");
		}
		assertThat(output).containsOnlyOnce("Too few replicas confirm locks in Redis: 1 of 2");
		CompletableFuture<Long> lock = run("a");
		answer(4, 7);
		answer(5, 3);
		assertThat(lock).isCompletedWithValue(7L);
		assertThat(output).containsOnlyOnce("Replicas confirm locks in Redis again");
	}

	@Test
	void locksThatAreAskedForMeanwhileHaveOneWait() {
		run("a");
		CompletableFuture<Long> second = run("b");
		CompletableFuture<Long> third = run("c");
		assertThat(this.sent).containsExactly("a", "WAIT 2 300");
		answer(0, 7);
		answer(1, 2);
		assertThat(this.sent).containsExactly("a", "WAIT 2 300", "b", "c", "WAIT 2 300");
		answer(2, 8);
		answer(3, 9);
		assertThat(List.of(second, third)).noneMatch(CompletableFuture::isDone);
		answer(4, 2);
		assertThat(second).isCompletedWithValue(8L);
		assertThat(third).isCompletedWithValue(9L);
		run("d");
		assertThat(this.sent).endsWith("d", "WAIT 2 300").hasSize(7);
	}

	/**
	 * On the new connection {@code WAIT} has nothing to wait for.
	 */
	@Test
	void connectionThatBrokeConfirmsNothing() {
		CompletableFuture<Long> lock = run("a");
		answer(0, 7);
		this.batches.broke();
		answer(1, 2);
		assertRefused(lock, "the connection broke");
	}

	@Test
	void scriptThatTheServerDoesNotKnowIsSentWithAWaitOfItsOwn() {
		CompletableFuture<Long> lock = run("a");
		this.answers.get(0).completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
		answer(1, 2);
		assertThat(this.sent).containsExactly("a", "WAIT 2 300", "text of a", "WAIT 2 300");
		answer(2, 7);
		assertThat(lock).isNotDone();
		answer(3, 2);
		assertThat(lock).isCompletedWithValue(7L);
	}

	@Test
	void failedCommandsFailTheirLocksAndNotTheNextOnes() {
		CompletableFuture<Long> lock = run("a");
		answer(0, 7);
		this.answers.get(1).completeExceptionally(new IllegalStateException("NOPERM"));
		assertThat(lock).isCompletedExceptionally();
		CompletableFuture<Long> next = run("b");
		this.answers.get(2).completeExceptionally(new IllegalStateException("OOM"));
		assertThat(next).isCompletedExceptionally();
		answer(3, 2);
		CompletableFuture<Long> last = run("c");
		answer(4, 8);
		answer(5, 2);
		assertThat(last).isCompletedWithValue(8L);
	}

}
