package io.interlock.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ReleasePolicy} on a real database with a pool of connections.
 */
class ReleaseAfterTransactionTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	private final InMemoryLocks locks = new InMemoryLocks();

	private final LockTemplate template = new LockTemplate(this.locks);

	private final Database database = new Database(2);

	private final TransactionTemplate transaction = new TransactionTemplate(
			new JdbcTransactionManager(this.database.pool()));

	@AfterEach
	void close() {
		this.database.close();
	}

	@Test
	@Proves(Promise.TRANSACTIONS)
	void keepsTheLockUntilOthersSeeTheCommit() {
		AtomicBoolean visible = new AtomicBoolean();
		this.locks.onRelease(() -> visible.set(CompletableFuture.supplyAsync(() -> this.database.contains(1)).join()));
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(1));
			assertThat(this.locks.last().state() == LockState.VALID).isTrue();
		});
		assertThat(visible).isTrue();
	}

	@Test
	@Proves(Promise.TRANSACTIONS)
	void startsTheReleaseWhileTheConnectionIsStillOutOfThePool() {
		AtomicInteger inUse = new AtomicInteger();
		this.locks.onRelease(() -> inUse.set(this.database.connectionsInUse()));
		this.transaction.executeWithoutResult(
				(status) -> this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(1)));
		assertThat(inUse).hasValue(1);
		assertThat(this.locks.last().releases()).isEqualTo(1);
		assertThat(this.database.connectionsInUse()).isZero();
	}

	@Test
	@Proves(Promise.TRANSACTIONS)
	void keepsTheLockUntilTheRollback() {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(1));
			assertThat(this.locks.last().state() == LockState.VALID).isTrue();
			throw new IllegalStateException("no");
		}));
		assertThat(this.locks.last().releases()).isEqualTo(1);
		assertThat(this.database.contains(1)).isFalse();
	}

	@Test
	void entersAgainWhileTheLockIsKept() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(1));
			this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(2));
		});
		assertThat(this.locks.grants()).isEqualTo(1);
		assertThat(LockContext.held()).isEmpty();
	}

	@Test
	void releasesAfterTheMethodWhenAskedTo() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(SEAT.withRelease(ReleasePolicy.AFTER_METHOD),
					(lock) -> this.database.insert(1));
			assertThat(this.locks.last().releases()).isEqualTo(1);
		});
		assertThat(this.database.contains(1)).isTrue();
	}

	@Test
	void releasesOutsideTheTransactionWhenTheLockCameFirst() {
		AtomicInteger inUse = new AtomicInteger(-1);
		this.locks.onRelease(() -> inUse.set(this.database.connectionsInUse()));
		try (LockHandle lock = this.template.acquire(SEAT)) {
			this.transaction.executeWithoutResult((status) -> this.database.insert(1));
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(inUse).hasValue(0);
	}

}
