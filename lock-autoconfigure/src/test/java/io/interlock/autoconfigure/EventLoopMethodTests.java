package io.interlock.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockTemplate;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A call that would block an event loop is refused with the name of its method. */
class EventLoopMethodTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory")
		.withBean(Shop.class);

	@Test
	void refusalNamesTheAnnotatedMethod() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertRefused(context.getBean(LockTemplate.class), shop::sell,
					"in %s.sell, which others hold".formatted(Shop.class.getName()));
		});
	}

	@Test
	void refusalNamesTheCallerOfTheTemplate() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertRefused(template, () -> take(template), "in %s.take, which".formatted(getClass().getName()));
		});
	}

	private static void take(LockTemplate template) {
		template.execute(LockRequest.exclusive("stock"), (lock) -> true);
	}

	private static void assertRefused(LockTemplate others, Runnable call, String method) throws Exception {
		CompletableFuture<Void> called = new CompletableFuture<>();
		try (LockHandle held = others.acquire(LockRequest.exclusive("stock"))) {
			new FastThreadLocalThread(() -> CompletableFuture.runAsync(call, Runnable::run)
				.whenComplete((value, failure) -> called.completeExceptionally(failure.getCause()))).start();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> called.get(30, TimeUnit.SECONDS))
				.havingCause()
				.isExactlyInstanceOf(IllegalStateException.class)
				.withMessageContaining("for lock stock " + method);
			assertThat(held.isValid()).isTrue();
		}
	}

	static class Shop {

		@DistributedLock(name = "stock")
		public void sell() {
		}

	}

}
