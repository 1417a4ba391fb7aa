package io.interlock.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockThreads} and {@link LockThreadPools}.
 */
class LockThreadsTests {

	private static final Runnable NOTHING = () -> {
	};

	@ParameterizedTest
	@EnumSource
	void threadsOfAllMakersAreDaemonsOfNormalPriority(LockThreads threads) {
		ThreadGroup group = new ThreadGroup("servers");
		assertThat(threads.thread(group, "start", NOTHING).getThreadGroup()).isEqualTo(group);
		assertThat(List.of(threads.thread(NOTHING), threads.thread("start", NOTHING),
				threads.thread(group, "start", NOTHING), threadOf(threads.pools().perTask())))
			.allMatch(Thread::isDaemon)
			.allMatch((thread) -> thread.getPriority() == Thread.NORM_PRIORITY);
	}

	@Test
	void namesAreThoseThatOperatorsKnow() {
		assertThat(LockThreads.values()).extracting((threads) -> threads.thread(NOTHING).getName())
			.containsExactly("interlock-lease", "interlock-timer", "interlock-listen", "interlock-async",
					"interlock-worker");
		assertThat(LockThreads.LISTEN.thread("jdbc", NOTHING).getName()).isEqualTo("interlock-listen-jdbc");
	}

	@Test
	void threadsOfPoolsAreCountedTogether() {
		LockThreadPools pools = LockThreads.WORKER.pools("runs");
		ForkJoinPool replacing = pools.replacing(1, 1);
		List<ThreadPoolExecutor> closed = List.of(pools.bounded(1), pools.single(), pools.unbounded(), pools.timer());
		assertThat(Stream.concat(closed.stream(), Stream.of(replacing, pools.perTask()))
			.map(LockThreadsTests::threadOf)
			.map(Thread::getName)).containsExactly("interlock-worker-runs-1", "interlock-worker-runs-2",
					"interlock-worker-runs-3", "interlock-worker-runs-4", "interlock-worker-runs-5",
					"interlock-worker-runs-6");
		closed.forEach(ThreadPoolExecutor::shutdown);
		replacing.shutdown();
	}

	@Test
	void idleThreadsEndUnlessTheyStay() {
		LockThreadPools pools = LockThreads.WORKER.pools();
		assertThat(List.of(pools.bounded(2), pools.unbounded()))
			.allMatch((pool) -> pool.getCorePoolSize() == 0 || pool.allowsCoreThreadTimeOut())
			.allMatch((pool) -> pool.getKeepAliveTime(TimeUnit.SECONDS) == 10);
		assertThat(List.of(pools.single(), pools.timer()))
			.allMatch((pool) -> pool.getCorePoolSize() == 1 && !pool.allowsCoreThreadTimeOut());
	}

	@Test
	void boundedPoolRefusesWhatItsQueueDoesNotTake() {
		CompletableFuture<Void> end = new CompletableFuture<>();
		ThreadPoolExecutor pool = LockThreads.WORKER.pools().bounded(1, 1);
		pool.execute(end::join);
		pool.execute(NOTHING);
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> pool.execute(NOTHING));
		end.complete(null);
		pool.shutdown();
	}

	@Test
	void threadForBodiesSeesTheClassesOfTheLibrary() {
		ForkJoinPool pool = LockThreads.ASYNC.pools().replacing(1, 1);
		assertThat(CompletableFuture.supplyAsync(() -> Thread.currentThread().getContextClassLoader(), pool).join())
			.isSameAs(LockThreads.class.getClassLoader());
		pool.shutdown();
	}

	@Test
	void virtualThreadsAreUsedWhereMonitorsDoNotPinThem() {
		assertThat(LockThreads.ASYNC.pools().virtual().isPresent()).isEqualTo(Runtime.version().feature() >= 24);
	}

	private static Thread threadOf(Executor threads) {
		return CompletableFuture.supplyAsync(Thread::currentThread, threads).join();
	}

}
