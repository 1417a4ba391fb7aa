package io.interlock.queue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.util.Assert;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the queues of two instances before one provider that excludes.
 */
@Timeout(600)
class QueueExclusionTests {

	private final AtomicInteger writers = new AtomicInteger();

	private final AtomicInteger readers = new AtomicInteger();

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	@Test
	void everybodyDoesEverythingAtOnce() throws Exception {
		QueueSettings settings = QueueUnderTest.settings(Duration.ofNanos(200_000), 20, Integer.MAX_VALUE);
		List<QueueingLockProvider> instances = List.of(new QueueingLockProvider(this::attempt, settings),
				new QueueingLockProvider(this::attempt, settings));
		List<Background<Boolean>> threads = new ArrayList<>();
		for (int thread = 0; thread < 6; thread++) {
			QueueingLockProvider instance = instances.get(thread % 2);
			threads.add(Background.start(() -> {
				for (int round = 0; round < 5_000; round++) {
					askFor(instance);
				}
				return true;
			}));
		}
		for (Background<Boolean> thread : threads) {
			while (thread.isRunning()) {
				Thread.yield();
			}
			assertThat(thread.join()).isTrue();
		}
		assertThat(instances).allMatch((instance) -> instance.queues().isEmpty());
		LockAttempt last = this.provider.attempt(WRITER.withWaitTime(Duration.ZERO), LockCaller.current());
		assertThat(last.outcome().join()).as("grant of a lock that is left free").isPresent();
	}

	private void askFor(QueueingLockProvider instance) throws Exception {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		LockRequest request = random.nextInt(3) == 0 ? WRITER : READER;
		boolean once = random.nextInt(8) == 0;
		LockAttempt attempt = instance.attempt(once ? request.withWaitTime(Duration.ZERO) : request,
				LockCaller.current());
		if (random.nextInt(4) == 0) {
			attempt.abandon();
		}
		LockGrant grant = attempt.outcome().exceptionally((failure) -> Optional.empty()).get().orElse(null);
		if (grant != null) {
			assertExcluded(request == WRITER);
			grant.release();
		}
	}

	private void assertExcluded(boolean writes) {
		(writes ? this.writers : this.readers).incrementAndGet();
		boolean alone = this.writers.get() == 0 || (writes && this.writers.get() == 1 && this.readers.get() == 0);
		(writes ? this.writers : this.readers).decrementAndGet();
		assertThat(alone).isTrue();
	}

	/**
	 * An attempt at the provider whose grant may be released once.
	 */
	private LockAttempt attempt(LockRequest request, LockCaller owner) {
		LockAttempt attempt = this.provider.attempt(request, owner);
		CompletableFuture<Optional<LockGrant>> outcome = attempt.outcome()
			.thenApply((grant) -> grant.map(QueueExclusionTests::releasedOnce));
		return new LockAttempt() {

			@Override
			public CompletableFuture<Optional<LockGrant>> outcome() {
				return outcome;
			}

			@Override
			public Phase phase() {
				return attempt.phase();
			}

			@Override
			public void abandon() {
				attempt.abandon();
			}

		};
	}

	private static LockGrant releasedOnce(LockGrant grant) {
		AtomicBoolean released = new AtomicBoolean();
		return (LockGrant) Proxy.newProxyInstance(LockGrant.class.getClassLoader(), new Class<?>[] { LockGrant.class },
				(proxy, method, args) -> {
					Assert.state(!method.getName().equals("release") || released.compareAndSet(false, true),
							"Released twice");
					return method.invoke(grant, args);
				});
	}

}
