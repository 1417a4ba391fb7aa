package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

import io.interlock.admin.LockInspector;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.JobRuns;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.provider.RunRecords.Run;
import io.interlock.queue.QueueSettings;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.node.OwnerRecord.LockData;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for the last runs of jobs in ZooKeeper.
 */
@ExtendWith(SharedServer.class)
class JobRunsOnZooKeeperTests {

	private final Instance first;

	private final Instance second;

	JobRunsOnZooKeeperTests(LocalServer server) throws InterruptedException {
		this.first = Instance.queueing(server.connectString(), Duration.ofSeconds(30), QueueSettings.defaults());
		this.second = Instance.queueing(server.connectString(), Duration.ofSeconds(30), QueueSettings.defaults());
		this.first.client().blockUntilConnected();
		this.second.client().blockUntilConnected();
	}

	@AfterEach
	void close() {
		this.first.close();
		this.second.close();
	}

	@Test
	void otherInstanceAnswersForTheOneThatRan() {
		JobRuns runs = runs(this.first, "first");
		proxy(this.first, runs).print();
		assertThat(runs.runs()).hasSize(1);
		JobRuns others = runs(this.second, "second");
		proxy(this.second, others).hashCode();
		assertThat(others.runs()).extracting(Run::name, Run::instance, Run::outcome)
			.containsExactly(tuple("runs of a job", "first", "success"));
	}

	@Test
	void runIsAPersistentNodeThatIsNoLock() throws Exception {
		Run run = new Run("runs/no lock", null, "first", Instant.EPOCH, Duration.ZERO, "java.io.IOException", null);
		this.first.provider().record(run);
		this.first.provider().record(run);
		assertThat(this.second.provider().runs(Set.of("runs/no lock", "unknown"))).containsExactly(run);
		String root = Instance.ROOT;
		Stat stat = this.first.client().checkExists().forPath(root + "/.runs/runs%2Fno%20lock");
		assertThat(stat.getEphemeralOwner()).isZero();
		assertThat(new ZooKeeperLockInspector(this.first.client(), root, Duration.ofSeconds(10))
			.locks(new LockInspector.Query("runs/no lock", null, false, 0, 10, 10))
			.locks()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "MINIMAL", "NONE" })
	void providerThatMayWriteLittleKeepsNoRun(LockData data) {
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(5),
				Recipe.PIPELINED, Map.of(), Set.of(), false, OwnerRecord.Details.NONE, data);
		try (ZooKeeperLockProvider provider = new ZooKeeperLockProvider(this.first.client(), settings, null, null)) {
			provider.record(new Run("secret", "key", "host", Instant.EPOCH, Duration.ZERO, "success", null));
			assertThat(this.second.provider().runs(Set.of("secret"))).isEmpty();
		}
	}

	@Test
	void closedProviderRefuses() {
		this.first.provider().close();
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.first.provider().runs(Set.of("report")));
	}

	private static JobRuns runs(Instance instance, String name) {
		return new JobRuns((provider) -> instance.provider(), () -> name);
	}

	private static Report proxy(Instance instance, JobRuns runs) {
		LockAdvisor advisor = new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null,
				instance::template);
		advisor.recordIn(runs);
		ProxyFactory factory = new ProxyFactory(new Report());
		factory.addAdvisor(advisor);
		Report report = (Report) factory.getProxy();
		report.toString();
		return report;
	}

	static class Report {

		@DistributedLock(name = "runs of a job", onContention = ContentionPolicy.SKIP)
		public void print() {
		}

	}

}
