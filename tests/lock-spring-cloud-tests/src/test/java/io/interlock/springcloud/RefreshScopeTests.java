package io.interlock.springcloud;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.template.HeldLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.cloud.context.scope.refresh.RefreshScope;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests locked methods of beans in the refresh scope of Spring Cloud.
 */
@Timeout(60)
class RefreshScopeTests {

	private final Acquisitions acquisitions = new Acquisitions();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RefreshAutoConfiguration.class, AopAutoConfiguration.class,
				InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class))
		.withBean(LockListener.class, () -> this.acquisitions)
		.withUserConfiguration(Refreshed.class)
		.withPropertyValues("interlock.provider=memory");

	@Test
	void aRefreshedBeanTakesItsLockOnceForEachCall() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			Stock stock = context.getBean(Stock.class);
			String before = stock.take();
			context.getBean(RefreshScope.class).refreshAll();
			assertThat(stock.take()).isNotEqualTo(before).startsWith("stock by ");
			assertThat(this.acquisitions.count).hasValue(2);
		});
	}

	@Test
	void aRefreshWithinACallLeavesItsLock() {
		this.contextRunner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch refreshed = new CountDownLatch(1);
			CompletableFuture<Boolean> call = CompletableFuture.supplyAsync(() -> stock.takeAround(() -> {
				entered.countDown();
				refreshed.await();
			}));
			entered.await();
			CompletableFuture<Void> refresh = CompletableFuture
				.runAsync(context.getBean(RefreshScope.class)::refreshAll);
			refreshed.countDown();
			assertThat(call).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(true);
			assertThat(refresh).succeedsWithin(30, TimeUnit.SECONDS);
			assertThat(context.getBean(HeldLocks.class).held()).isEmpty();
		});
	}

	interface Body {

		void run() throws InterruptedException;

	}

	static class Acquisitions implements LockListener {

		final AtomicInteger count = new AtomicInteger();

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			this.count.incrementAndGet();
		}

	}

	static class Stock {

		private final HeldLocks locks;

		Stock(HeldLocks locks) {
			this.locks = locks;
		}

		@DistributedLock("stock")
		public String take() {
			return this.locks.held().get(0).id().name() + " by " + System.identityHashCode(this);
		}

		@DistributedLock("stock")
		public boolean takeAround(Body body) {
			try {
				body.run();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return this.locks.holds((held) -> held.id().name().equals("stock"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Refreshed {

		@Bean
		@org.springframework.cloud.context.config.annotation.RefreshScope
		Stock stock(HeldLocks locks) {
			return new Stock(locks);
		}

	}

}
