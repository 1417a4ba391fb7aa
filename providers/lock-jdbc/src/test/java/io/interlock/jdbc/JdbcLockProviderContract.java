package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.internal.LockHash;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.test.contract.LockProviderOutageContract;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for locks in one of the databases, whose clock is moved with that of the
 * instances.
 */
abstract class JdbcLockProviderContract extends LockProviderOutageContract {

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final JdbcInstances instances;

	private final JdbcClient client;

	JdbcLockProviderContract(LockDatabase database, String url, int poolSize) {
		this.instances = new JdbcInstances(database, url, LEASE, poolSize, this.time);
		this.client = JdbcClient.create(this.instances.pool());
	}

	/**
	 * Return the instances that a test starts.
	 */
	final JdbcInstances instances() {
		return this.instances;
	}

	@AfterEach
	void close() {
		this.instances.setBroken(false);
		// A release that has failed is tried again within a second.
		this.time.advance(Duration.ofSeconds(2), Duration.ofSeconds(1));
		this.instances.close();
		this.time.close();
	}

	@Test
	void rowThatAnotherTransactionHasLockedCostsNoOtherHold() throws Exception {
		LockProvider instance = instance();
		List<LockGrant> grants = new ArrayList<>();
		for (int key = 0; key < 10; key++) {
			LockRequest request = LockRequest.exclusive(lockName()).withKey(key);
			grants
				.add(instance.attempt(request, LockCaller.current()).outcome().get(30, TimeUnit.SECONDS).orElseThrow());
		}
		LockGrant locked = grants.remove(4);
		try (Connection operator = this.instances.pool().getConnection()) {
			operator.setAutoCommit(false);
			try (PreparedStatement lock = operator
				.prepareStatement("SELECT owner FROM interlock_lock WHERE lock_id = ? FOR UPDATE")) {
				lock.setString(1, LockHash.of("", locked.request().id().name(), locked.request().id().key()));
				assertThat(lock.executeQuery().next()).isTrue();
				passTime(LEASE.multipliedBy(17).dividedBy(20));
				assertThat(locked.state()).isEqualTo(LockState.UNCONFIRMED);
				assertThat(grants).allMatch((grant) -> grant.state() == LockState.VALID);
			}
			operator.rollback();
		}
		passTime(LEASE.dividedBy(25));
		assertThat(locked.state() == LockState.VALID).isTrue();
	}

	@Override
	protected LockProvider startInstance() {
		return this.instances.start();
	}

	@Override
	protected Duration lease() {
		return LEASE;
	}

	@Override
	protected void passTime(Duration time) {
		this.time.advance(time, LEASE.dividedBy(50));
	}

	@Override
	protected int contenders(String name) {
		return JdbcInstances.contenders(this.client, name);
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		this.instances.cutOff(instance);
		return true;
	}

}
