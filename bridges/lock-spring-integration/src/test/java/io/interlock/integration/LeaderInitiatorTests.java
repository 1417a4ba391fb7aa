package io.interlock.integration;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests {@link LockRegistryLeaderInitiator} with a candidate in each of two instances.
 */
@Timeout(120)
class LeaderInitiatorTests {

	private Instances instances;

	@BeforeEach
	void start() throws Exception {
		this.instances = new Instances();
	}

	@AfterEach
	void stop() throws Exception {
		this.instances.close();
	}

	@Test
	void oneOfTwoCandidatesLeads() {
		ConfigurableApplicationContext first = this.instances.start(Application.class);
		await().until(() -> isLeader(first));
		ConfigurableApplicationContext second = this.instances.start(Application.class);
		await().during(Duration.ofSeconds(1)).until(() -> isLeader(first) && !isLeader(second));
		assertThat(second.getBean(Member.class).granted).hasValue(0);
	}

	@Test
	void theOtherCandidateLeadsWhenTheLeaderStops() throws Exception {
		ConfigurableApplicationContext first = this.instances.start(Application.class);
		await().until(() -> isLeader(first));
		ConfigurableApplicationContext second = this.instances.start(Application.class);
		Member leader = first.getBean(Member.class);
		CompletableFuture.runAsync(first::close).get(20, TimeUnit.SECONDS);
		await().until(() -> isLeader(second));
		await().until(() -> leader.revoked.get() == 1);
	}

	@Test
	void theOtherCandidateLeadsWhenTheLeaderGivesUp() {
		ConfigurableApplicationContext first = this.instances.start(Application.class);
		await().until(() -> isLeader(first));
		ConfigurableApplicationContext second = this.instances.start(Application.class);
		LockRegistryLeaderInitiator leader = first.getBean(LockRegistryLeaderInitiator.class);
		// What it leaves to the other one, which may stall, before it stands again.
		leader.setBusyWaitMillis(5000);
		leader.getContext().yield();
		await().until(() -> isLeader(second));
		// The leader is told after it has unlocked.
		await().until(() -> first.getBean(Member.class).revoked.get() == 1);
	}

	@Test
	void leaderThatLosesItsLockIsRevoked() throws Exception {
		ConfigurableApplicationContext first = this.instances.start(Application.class);
		await().until(() -> isLeader(first));
		ConfigurableApplicationContext second = this.instances.start(Application.class);
		Instances.endSession(first);
		await().until(() -> isLeader(second));
		await().until(() -> first.getBean(Member.class).revoked.get() == 1);
		await().during(Duration.ofSeconds(1)).until(() -> isLeader(second) && !isLeader(first));
	}

	/**
	 * Between two heartbeats nothing but the interrupt tells the leader.
	 */
	@Test
	void leaderIsRevokedAtOnceWithAnInterrupt() throws Exception {
		ConfigurableApplicationContext leader = this.instances.start(InterruptedApplication.class);
		LockRegistryLeaderInitiator initiator = leader.getBean(LockRegistryLeaderInitiator.class);
		await().until(() -> isLeader(leader));
		Instances.endSession(leader);
		await().atMost(Duration.ofSeconds(30)).until(() -> leader.getBean(Member.class).revoked.get() == 1);
		await().until(() -> leader.getBean(Member.class).granted.get() == 2);
		initiator.stop();
		await().until(() -> leader.getBean(Member.class).revoked.get() == 2);
	}

	private static boolean isLeader(ConfigurableApplicationContext instance) {
		return instance.getBean(LockRegistryLeaderInitiator.class).getContext().isLeader();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Member member() {
			return new Member();
		}

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(LockRegistry<?> registry, Member member) {
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry, member);
			initiator.setHeartBeatMillis(200);
			return initiator;
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class InterruptedApplication {

		@Bean
		Member member() {
			return new Member();
		}

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(LockOperations locks, Candidate candidate) {
			LockRequest request = LockRequest.exclusive("leaders")
				.withOnLoss(LossPolicy.INTERRUPT)
				.withRelease(ReleasePolicy.AFTER_METHOD);
			LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
					new InterlockLockRegistry(locks, request), candidate);
			initiator.setHeartBeatMillis(Duration.ofMinutes(5).toMillis());
			return initiator;
		}

	}

	static final class Member extends DefaultCandidate {

		private final AtomicInteger granted = new AtomicInteger();

		private final AtomicInteger revoked = new AtomicInteger();

		Member() {
			super(null, "importer");
		}

		@Override
		public void onGranted(Context context) {
			this.granted.incrementAndGet();
		}

		@Override
		public void onRevoked(Context context) {
			this.revoked.incrementAndGet();
		}

	}

}
