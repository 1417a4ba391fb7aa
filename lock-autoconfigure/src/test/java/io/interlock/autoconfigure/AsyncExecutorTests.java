package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.interlock.annotation.DistributedLock;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code interlock.async.executor}.
 */
@Timeout(60)
class AsyncExecutorTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
		.withBean(Orders.class)
		.withPropertyValues("interlock.provider=memory");

	private final ApplicationContextRunner namedRunner = this.contextRunner
		.withPropertyValues("interlock.async.executor=shipping");

	@Test
	void methodBeginsOnTheExecutorOfThatName() {
		this.namedRunner.withBean("shipping", Executor.class, () -> (task) -> new Thread(task, "shipping-1").start())
			.run((context) -> assertThat(context.getBean(Orders.class).ship()).succeedsWithin(Duration.ofSeconds(20))
				.isEqualTo("shipping-1 orders"));
	}

	@Test
	void methodBeginsAsTheDecoratorOfThatNameHasIt() {
		TaskDecorator decorator = (task) -> {
			String caller = Thread.currentThread().getName();
			return () -> new Thread(task, "as " + caller).start();
		};
		this.namedRunner.withBean("shipping", TaskDecorator.class, () -> decorator)
			.run((context) -> assertThat(context.getBean(Orders.class).ship()).succeedsWithin(Duration.ofSeconds(20))
				.isEqualTo("as " + Thread.currentThread().getName() + " orders"));
	}

	@Test
	void methodBeginsOnAThreadOfTheLibraryOtherwise() {
		this.contextRunner.withBean("shipping", Executor.class, () -> (task) -> new Thread(task, "shipping-1").start())
			.run((context) -> assertThat(context.getBean(Orders.class).ship().join()).startsWith("interlock-async-"));
	}

	@Test
	void rejectionIsTheFailureOfTheMethod() {
		RejectedExecutionException full = new RejectedExecutionException("full");
		Executor executor = (task) -> {
			throw full;
		};
		this.namedRunner.withBean("shipping", Executor.class, () -> executor).run((context) -> {
			CompletableFuture<String> result = context.getBean(Orders.class).ship();
			await().until(result::isDone);
			assertThat(context.getBean(HeldLocks.class).held()).isEmpty();
			assertThat(catchThrowable(result::join)).hasCause(full);
		});
	}

	@Test
	void nameOfAnythingElseIsRefused() {
		this.namedRunner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("interlock.async.executor")
			.hasMessageContaining("There is no TaskDecorator or Executor bean with this name"));
		this.namedRunner.withBean("shipping", String.class, () -> "text")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("'shipping'"));
	}

	static class Orders {

		@DistributedLock("orders")
		public CompletableFuture<String> ship() {
			return CompletableFuture
				.completedFuture(Thread.currentThread().getName() + " " + LockContext.current().id());
		}

	}

}
