package io.interlock.autoconfigure;

import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.interceptor.LockDefinitionException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the recipe of Curator refuses shared methods at the start, unless the peers
 * of their lock are read and write locks. No server listens.
 */
class StockRecipeStartTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(CuratorFramework.class, StockRecipeStartTests::client)
		.withPropertyValues("interlock.zookeeper.recipe=curator");

	@Test
	void readerOfAMutexFailsTheStartWithThePropertyToSet() {
		this.contextRunner.withBean(Reader.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining("Reader.read()")
				.hasMessageContaining("interlock.zookeeper.locks.catalogue.peers=read-write"));
	}

	@Test
	void readerOfAReadAndWriteLockStarts() {
		this.contextRunner.withBean(Reader.class)
			.withPropertyValues("interlock.zookeeper.locks.catalogue.peers=read-write")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void readerStartsWithTheOtherRecipe() {
		this.contextRunner.withBean(Reader.class)
			.withPropertyValues("interlock.zookeeper.recipe=pipelined")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void writerOfAMutexStarts() {
		this.contextRunner.withBean(Writer.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static CuratorFramework client() {
		CuratorFramework client = CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(1));
		client.start();
		return client;
	}

	static class Reader {

		@ReadLock("catalogue")
		public void read() {
		}

	}

	static class Writer {

		@WriteLock("catalogue")
		public void write() {
		}

	}

}
