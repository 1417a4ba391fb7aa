package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link LockTemplate} inside transactions of a real database.
 */
class LockTemplateTransactionTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private final JdbcDataSource dataSource = new JdbcDataSource();

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	private TransactionTemplate transaction;

	private JdbcTemplate jdbc;

	@BeforeEach
	void openDatabase() {
		this.dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		this.transaction = new TransactionTemplate(new DataSourceTransactionManager(this.dataSource));
		this.jdbc = new JdbcTemplate(this.dataSource);
		this.jdbc.execute("create table sale (id int)");
	}

	@AfterEach
	void nothingIsLeftBehind() {
		this.jdbc.execute("shutdown");
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void theLockIsKeptUntilTheTransactionHasCommitted() {
		List<Integer> committedAtRelease = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			ScriptedGrant grant = this.provider.onlyGrant();
			grant.whenReleased(() -> committedAtRelease.add(countOnAnotherConnection()));
			assertThat(grant.isReleased()).isFalse();
			assertThat(this.heldLocks.held()).hasSize(1);
		});
		assertThat(committedAtRelease).containsExactly(1);
	}

	@Test
	void theLockIsKeptUntilTheTransactionHasRolledBack() {
		List<Integer> committedAtRelease = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			ScriptedGrant grant = this.provider.onlyGrant();
			grant.whenReleased(() -> committedAtRelease.add(countOnAnotherConnection()));
			status.setRollbackOnly();
			assertThat(grant.isReleased()).isFalse();
		});
		assertThat(committedAtRelease).containsExactly(0);
	}

	@Test
	void aRefusalNamesTheOpenTransactionThatKeepsTheLock() {
		LockTemplate locks = new LockTemplate(new InMemoryLockProvider(), LockSettings.defaults(), this.heldLocks,
				List.of());
		String holder = "thread '%s' of this instance".formatted(Thread.currentThread().getName());
		this.transaction.executeWithoutResult((status) -> {
			locks.executeWithoutResult(REQUEST, (lock) -> assertThat(refusal(locks)).endsWith("held by " + holder));
			assertThat(refusal(locks)).endsWith("held by " + holder + ", kept by its open transaction");
			locks.executeWithoutResult(REQUEST, (lock) -> assertThat(refusal(locks)).endsWith("held by " + holder));
		});
	}

	private String refusal(LockTemplate locks) {
		LockRequest impatient = REQUEST.withWaitTime(Duration.ZERO);
		return CompletableFuture.supplyAsync(() -> catchThrowable(() -> locks.execute(impatient, (lock) -> "entered")))
			.join()
			.getMessage();
	}

	@Test
	void theReleaseIsNotWaitedFor() {
		LockTemplate patient = new LockTemplate(this.provider,
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), Duration.ofMinutes(10)),
				this.heldLocks, List.of());
		this.provider.answers((attempt) -> {
			attempt.granted().answersNoRelease();
			attempt.grant();
		});
		this.transaction.executeWithoutResult((status) -> patient.executeWithoutResult(REQUEST,
				(lock) -> this.jdbc.update("insert into sale values (1)")));
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void anExceptionOfTheTransactionReleasesTheLock() {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			throw new IllegalStateException("no");
		}));
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	@Test
	void aHandleOfItsOwnIsKeptToo() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle handle = this.template.acquire(REQUEST);
			handle.close();
			assertThat(handle.isValid()).isFalse();
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		});
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	@Test
	void aHandleThatOutlivesTheTransactionKeepsTheLock() {
		LockHandle handle = this.transaction.execute((status) -> this.template.acquire(REQUEST));
		assertThat(handle).isNotNull();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		handle.close();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aKeptLockIsJoined() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			sellUnder(REQUEST);
			sellUnder(LockRequest.shared("orders"));
		});
		assertThat(this.provider.attempts()).hasSize(1);
		assertThat(countOnAnotherConnection()).isEqualTo(3);
	}

	@Test
	void oneSynchronizationIsEnoughForManyAcquisitions() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			int before = TransactionSynchronizationManager.getSynchronizations().size();
			this.template.executeWithoutResult(REQUEST, (lock) -> sellUnder(REQUEST));
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(before);
		});
	}

	@Test
	void everyLockHasASynchronizationOfItsOwn() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			sellUnder(REQUEST.withKey(42));
			assertThat(this.heldLocks.held()).hasSize(2);
		});
	}

	@Test
	void theCurrentLockIsTheOneOfTheBodyNotOneThatIsKept() {
		this.transaction.executeWithoutResult((status) -> this.template.executeWithoutResult(REQUEST, (outer) -> {
			sellUnder(LockRequest.exclusive("stock"));
			assertThat(LockContext.current()).isSameAs(outer);
		}));
	}

	@Test
	void aKeptLockIsFound() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			assertThat(LockContext.find(REQUEST.id())).isPresent();
		});
		assertThat(LockContext.find(REQUEST.id())).isEmpty();
	}

	@Test
	void afterMethodReleasesInsideTheTransaction() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST.withRelease(ReleasePolicy.AFTER_METHOD));
			assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		});
	}

	@Test
	void aJoinedRequestMayKeepTheLockOfOneThatDoesNot() {
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(REQUEST.withRelease(ReleasePolicy.AFTER_METHOD),
					(outer) -> sellUnder(REQUEST));
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		});
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	@Test
	void withoutATransactionTheLockIsReleasedAtOnce() {
		sellUnder(REQUEST);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aLockAroundATransactionIsReleasedAfterItsBody() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			this.transaction.executeWithoutResult((status) -> this.jdbc.update("insert into sale values (1)"));
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		});
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void withoutAnActualTransactionTheLockIsReleasedAtOnce() {
		TransactionTemplate supports = with(TransactionDefinition.PROPAGATION_SUPPORTS);
		supports.executeWithoutResult((status) -> {
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			sellUnder(REQUEST);
			assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		});
	}

	@Test
	void aNewTransactionInsideKeepsWhatItAcquiresUntilItsOwnEnd() {
		TransactionTemplate requiresNew = with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			requiresNew.executeWithoutResult((inner) -> {
				sellUnder(REQUEST);
				assertThat(this.provider.onlyGrant().isReleased()).isFalse();
			});
			assertThat(this.provider.onlyGrant().isReleased()).isTrue();
		});
	}

	@Test
	void aNewTransactionInsideDoesNotReleaseWhatTheOuterKeeps() {
		TransactionTemplate requiresNew = with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			requiresNew.executeWithoutResult((inner) -> sellUnder(REQUEST));
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		});
		assertThat(this.provider.attempts()).hasSize(1);
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	@Test
	void aNewTransactionInsideOfTheBodyDoesNotReleaseWhatTheOuterKeeps() {
		TransactionTemplate requiresNew = with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(REQUEST, (lock) -> requiresNew
				.executeWithoutResult((inner) -> this.jdbc.update("insert into sale values (1)")));
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		});
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	@Test
	void aNewTransactionInsideOfTheBodyCommitsBeforeAReleaseAfterIt() {
		TransactionTemplate requiresNew = with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		List<Integer> committedAtRelease = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			this.template.executeWithoutResult(REQUEST.withRelease(ReleasePolicy.AFTER_METHOD), (lock) -> {
				this.provider.onlyGrant().whenReleased(() -> committedAtRelease.add(countOnAnotherConnection()));
				requiresNew.executeWithoutResult((inner) -> this.jdbc.update("insert into sale values (1)"));
			});
			assertThat(committedAtRelease).containsExactly(1);
		});
	}

	@Test
	void aLockAcquiredAfterTheCommitIsReleasedAfterItsBody() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int status) {
						sellUnder(REQUEST);
					}

				}));
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void nobodyIsInterruptedBetweenTheBodyAndTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST.withOnLoss(LossPolicy.INTERRUPT));
			this.provider.onlyGrant().lose();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void aLossInTheBodyLeavesNoFlagForTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle handle = this.template.acquire(REQUEST.withOnLoss(LossPolicy.INTERRUPT));
			this.provider.onlyGrant().lose();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
			handle.close();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void aReleaseThatFailsDoesNotReachTheTransaction() {
		this.transaction.executeWithoutResult((status) -> {
			sellUnder(REQUEST);
			this.provider.onlyGrant().whenReleased(() -> {
				throw new IllegalStateException("broken");
			});
		});
		assertThat(countOnAnotherConnection()).isEqualTo(1);
	}

	@Test
	void theReleaseIsToldAfterTheTransaction() {
		List<String> told = new ArrayList<>();
		LockTemplate observed = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
				List.of(new LockListener() {

					@Override
					public void onReleased(LockHandle handle, Duration held) {
						told.add("released");
					}

				}));
		this.transaction.executeWithoutResult((status) -> {
			observed.executeWithoutResult(REQUEST, (lock) -> told.add("body"));
			told.add("end of transaction");
		});
		assertThat(told).containsExactly("body", "end of transaction", "released");
	}

	private void sellUnder(LockRequest request) {
		this.template.executeWithoutResult(request, (lock) -> this.jdbc.update("insert into sale values (1)"));
	}

	private TransactionTemplate with(int propagation) {
		TransactionTemplate with = new TransactionTemplate(new DataSourceTransactionManager(this.dataSource));
		with.setPropagationBehavior(propagation);
		return with;
	}

	private int countOnAnotherConnection() {
		try {
			return Background.call(
					() -> new JdbcTemplate(this.dataSource).queryForObject("select count(*) from sale", Integer.class));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
