package io.interlock.zookeeper.internal.session;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link BackgroundThreads}.
 */
@ExtendWith(OutputCaptureExtension.class)
class BackgroundThreadsTests {

	private final BackgroundThreads threads = new BackgroundThreads();

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void newsThatBlockKeepNoOtherFromBeingTold() {
		CountDownLatch end = new CountDownLatch(1);
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			this.threads.tell(() -> await().until(() -> end.getCount() == 0));
		}
		this.threads.tell(told::incrementAndGet);
		await().untilAtomic(told, (value) -> value.equals(1));
		end.countDown();
	}

	@Test
	void newsThatThrowKeepNoOtherFromBeingTold() {
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 200; i++) {
			this.threads.tell(() -> {
				told.incrementAndGet();
				throw new StackOverflowError();
			});
		}
		await().untilAsserted(() -> assertThat(told).hasValue(200));
	}

	@Test
	void newsThatFindNoThreadAreToldLater() {
		AtomicBoolean refusing = new AtomicBoolean(true);
		Executor executor = (task) -> {
			if (refusing.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			new Thread(task).start();
		};
		BackgroundThreads refused = new BackgroundThreads(executor);
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 200; i++) {
			refused.tell(told::incrementAndGet);
		}
		refusing.set(false);
		refused.resume();
		await().untilAsserted(() -> assertThat(told).hasValue(200));
	}

	@Test
	void wantOfThreadsIsNotLoggedForEachOfThoseNews(CapturedOutput output) {
		AtomicInteger started = new AtomicInteger();
		Semaphore end = new Semaphore(0);
		Executor executor = (task) -> {
			if (started.incrementAndGet() % 2 == 0) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			new Thread(task).start();
		};
		BackgroundThreads few = new BackgroundThreads(executor);
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 100; i++) {
			few.tell(() -> {
				end.acquireUninterruptibly();
				told.incrementAndGet();
			});
		}
		end.release(100);
		await().untilAtomic(told, (value) -> value.equals(100));
		assertThat(output).containsOnlyOnce("No thread can be started");
	}

}
