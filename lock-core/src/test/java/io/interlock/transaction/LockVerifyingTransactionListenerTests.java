package io.interlock.transaction;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockVerifyingTransactionListener} on a real database with a pool of
 * connections.
 */
class LockVerifyingTransactionListenerTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	private final InMemoryLocks locks = new InMemoryLocks();

	private final LockTemplate template = new LockTemplate(this.locks);

	private final Database database = new Database(2);

	@AfterEach
	void close() {
		this.database.close();
	}

	@Test
	void commitsWithoutAskingTheServersWhileTheLockIsValid() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		this.template.executeWithoutResult(SEAT,
				(lock) -> transaction.executeWithoutResult((status) -> this.database.insert(1)));
		assertThat(this.database.contains(1)).isTrue();
		assertThat(this.locks.verifications()).isZero();
	}

	@Test
	void rollsBackWhenTheLockIsLostAndTellsTheCaller() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(SEAT,
					(lock) -> transaction.executeWithoutResult((status) -> insertAndLose(1))))
			.withMessageContaining("rolled back instead of committed: lock seat")
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(SEAT.id()));
		assertThat(this.database.contains(1)).isFalse();
	}

	@Test
	void namesTheTransactionThatItRollsBack() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		transaction.setName("BoxOffice.sell");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(SEAT,
					(lock) -> transaction.executeWithoutResult((status) -> insertAndLose(1))))
			.withMessageStartingWith("Transaction 'BoxOffice.sell' was rolled back");
	}

	@Test
	void returnsTheConnectionToThePoolAfterAVeto() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.executeWithoutResult(SEAT,
				(lock) -> transaction.executeWithoutResult((status) -> insertAndLose(1))));
		assertThat(this.database.connectionsInUse()).isZero();
	}

	@Test
	void commitsWhenTheLockIsSuspendedAndTheServersConfirmIt() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		this.template.executeWithoutResult(SEAT, (lock) -> transaction.executeWithoutResult((status) -> {
			this.database.insert(1);
			this.locks.suspendAll(true);
		}));
		assertThat(this.database.contains(1)).isTrue();
		assertThat(this.locks.verifications()).isEqualTo(1);
	}

	@Test
	void rollsBackWhenTheLockIsSuspendedAndNobodyAnswers() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(
				() -> this.template.executeWithoutResult(SEAT, (lock) -> transaction.executeWithoutResult((status) -> {
					this.database.insert(1);
					this.locks.suspendAll(false);
				})))
			.withMessageContaining("not known whether lock seat");
		assertThat(this.database.contains(1)).isFalse();
		assertThat(this.locks.verifications()).isEqualTo(1);
	}

	@Test
	void asksAboutNoFurtherLockWhenNobodyAnswers() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		try (LockHandle first = this.template.acquire(SEAT);
				LockHandle second = this.template.acquire(LockRequest.exclusive("row"))) {
			this.locks.suspendAll(false);
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> this.database.insert(1)))
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(second.id()).isNotEqualTo(first.id()));
		}
		assertThat(this.locks.verifications()).isEqualTo(1);
	}

	@Test
	void commitsALostLockWhenNothingIsToBeVerified() {
		TransactionTemplate transaction = transaction(CommitVerification.NONE);
		try (LockHandle lock = this.template.acquire(SEAT)) {
			transaction.executeWithoutResult((status) -> insertAndLose(1));
			assertThat(lock.isValid()).isFalse();
		}
		assertThat(this.database.contains(1)).isTrue();
	}

	@Test
	void asksAQuorumAboutEveryLockOnce() {
		TransactionTemplate transaction = transaction(CommitVerification.QUORUM);
		this.template.executeWithoutResult(SEAT,
				(outer) -> this.template.executeWithoutResult(LockRequest.shared("row"),
						(inner) -> this.template.executeWithoutResult(SEAT,
								(again) -> transaction.executeWithoutResult((status) -> this.database.insert(1)))));
		assertThat(this.locks.grants()).isEqualTo(2);
		assertThat(this.locks.verifications()).isEqualTo(2);
	}

	@Test
	void rollsBackWhenASharedLockIsLost() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(LockRequest.shared("seat"),
					(lock) -> transaction.executeWithoutResult((status) -> insertAndLose(1))));
		assertThat(this.database.contains(1)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "LOCAL", "QUORUM" })
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_LOCK_IS_LOST)
	void doesNotDisturbAHolderThatWantsASignalOnly(CommitVerification verification) {
		TransactionTemplate transaction = transaction(verification);
		this.template.executeWithoutResult(SEAT.withOnLoss(LossPolicy.SIGNAL),
				(lock) -> transaction.executeWithoutResult((status) -> insertAndLose(1)));
		assertThat(this.database.contains(1)).isTrue();
		assertThat(this.locks.verifications()).isZero();
	}

	@Test
	void rollsBackForTheHolderInsideWhichAnotherWantsASignalOnly() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.executeWithoutResult(SEAT,
				(outer) -> this.template.executeWithoutResult(SEAT.withOnLoss(LossPolicy.SIGNAL),
						(inner) -> transaction.executeWithoutResult((status) -> insertAndLose(1)))));
		assertThat(this.database.contains(1)).isFalse();
	}

	@Test
	void verifiesALockThatWasAcquiredInsideTheTransaction() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				this.template.executeWithoutResult(SEAT, (lock) -> this.database.insert(1));
				this.locks.loseAll();
			}));
		assertThat(this.database.contains(1)).isFalse();
		assertThat(this.locks.last().releases()).isEqualTo(1);
	}

	@Test
	void verifiesAfterEverythingElseThatRunsBeforeTheCommit() {
		TransactionTemplate transaction = transaction(CommitVerification.LOCAL);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.template.executeWithoutResult(SEAT, (lock) -> transaction.executeWithoutResult((status) -> {
					this.database.insert(1);
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCompletion() {
							LockVerifyingTransactionListenerTests.this.locks.loseAll();
						}

					});
				})));
		assertThat(this.database.contains(1)).isFalse();
	}

	@Test
	void doesNotVerifyALockThatWasReleasedBeforeTheCommit() {
		TransactionTemplate transaction = transaction(CommitVerification.QUORUM);
		transaction.executeWithoutResult((status) -> this.template
			.executeWithoutResult(SEAT.withRelease(ReleasePolicy.AFTER_METHOD), (lock) -> this.database.insert(1)));
		assertThat(this.database.contains(1)).isTrue();
		assertThat(this.locks.verifications()).isZero();
	}

	@Test
	void rollsBackTheNewTransactionInsideOneThatGoesOn() {
		TransactionTemplate outer = transaction(CommitVerification.LOCAL);
		TransactionTemplate inner = new TransactionTemplate(outer.getTransactionManager());
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		outer.executeWithoutResult((status) -> {
			this.database.insert(1);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.executeWithoutResult(SEAT.withRelease(ReleasePolicy.AFTER_METHOD),
						(lock) -> inner.executeWithoutResult((nested) -> insertAndLose(2))));
		});
		assertThat(this.database.contains(1)).isTrue();
		assertThat(this.database.contains(2)).isFalse();
	}

	@Test
	void leavesSavepointsAndParticipantsToTheCommitOfTheirTransaction() {
		TransactionTemplate outer = transaction(CommitVerification.QUORUM);
		TransactionTemplate nested = new TransactionTemplate(outer.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		TransactionTemplate participating = new TransactionTemplate(outer.getTransactionManager());
		this.template.executeWithoutResult(SEAT, (lock) -> outer.executeWithoutResult((status) -> {
			nested.executeWithoutResult((savepoint) -> this.database.insert(1));
			participating.executeWithoutResult((participant) -> this.database.insert(2));
			assertThat(this.locks.verifications()).isZero();
		}));
		assertThat(this.locks.verifications()).isEqualTo(1);
	}

	@Test
	void rollsBackWhatANestedTransactionWrote() {
		TransactionTemplate outer = transaction(CommitVerification.LOCAL);
		TransactionTemplate nested = new TransactionTemplate(outer.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(SEAT, (lock) -> outer
				.executeWithoutResult((status) -> nested.executeWithoutResult((savepoint) -> insertAndLose(1)))));
		assertThat(this.database.contains(1)).isFalse();
	}

	@Test
	void leavesReadOnlyTransactionsAlone() {
		TransactionTemplate transaction = transaction(CommitVerification.QUORUM);
		transaction.setReadOnly(true);
		try (LockHandle lock = this.template.acquire(SEAT)) {
			this.locks.loseAll();
			transaction.executeWithoutResult((status) -> assertThat(this.database.contains(1)).isFalse());
			assertThat(lock.isValid()).isFalse();
		}
		assertThat(this.locks.verifications()).isZero();
	}

	@Test
	void leavesTransactionsAloneThatTheManagerIsAboutToRollBack() {
		TransactionExecution doomed = mock(TransactionExecution.class);
		given(doomed.isNewTransaction()).willReturn(true);
		given(doomed.isRollbackOnly()).willReturn(true);
		assertThatCode(() -> commitUnderALostLock(doomed)).doesNotThrowAnyException();
	}

	@Test
	void leavesNestedTransactionsAloneThatAreNoSavepoints() {
		TransactionExecution nested = mock(TransactionExecution.class);
		given(nested.isNewTransaction()).willReturn(true);
		given(nested.isNested()).willReturn(true);
		assertThatCode(() -> commitUnderALostLock(nested)).doesNotThrowAnyException();
	}

	private void commitUnderALostLock(TransactionExecution transaction) {
		try (LockHandle lock = this.template.acquire(SEAT)) {
			this.locks.loseAll();
			assertThat(lock.isValid()).isFalse();
			new LockVerifyingTransactionListener(CommitVerification.QUORUM).beforeCommit(transaction);
		}
	}

	@Test
	void leavesTransactionsWithoutALockAlone() {
		transaction(CommitVerification.QUORUM).executeWithoutResult((status) -> this.database.insert(1));
		assertThat(this.database.contains(1)).isTrue();
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesNoVerification() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockVerifyingTransactionListener(null))
			.withMessage("'verification' must not be null");
	}

	private void insertAndLose(int id) {
		this.database.insert(id);
		this.locks.loseAll();
	}

	private TransactionTemplate transaction(CommitVerification verification) {
		JdbcTransactionManager manager = new JdbcTransactionManager(this.database.pool());
		manager.addListener(new LockVerifyingTransactionListener(verification));
		return new TransactionTemplate(manager);
	}

}
