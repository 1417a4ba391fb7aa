package io.interlock.lease;

import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.lease.LeaseStore.Renewed;

/**
 * What the lease engine does instead where switching a rule off takes more than leaving
 * something out.
 */
final class WithoutLeaseRule {

	private static final Field PARTS = LeaseSimulationChecks.field(LeaseStanding.class, "parts");

	private WithoutLeaseRule() {
	}

	/** Return the time of the answer in place of that of the question. */
	static long now(LeaseStanding standing) {
		return ((LeaseParts) LeaseSimulationChecks.get(PARTS, standing)).time().nanoTime();
	}

	/** Count the lease from now, not from when the renewal was sent. */
	static void confirmNow(LeaseGrant grant, long sentAt) {
		grant.confirm(grant.confirmedAt() + grant.age());
	}

	/** Fail as a whole when a part of the store does not answer. */
	static Renewed renewAll(LeaseConnection store, Collection<LeaseContender> contenders) {
		Renewed answer = store.renew(contenders);
		answer.unanswered().values().stream().findFirst().ifPresent((failure) -> {
			throw failure;
		});
		return answer;
	}

	/** Judge a hold by its age only, so that it is no longer lost when it is renewed. */
	static boolean isOver(LeaseGrant grant) {
		return grant.age() >= LeaseSimulation.LEASE_NANOS / 10 * 9;
	}

	static List<LeaseGrant> noHolds(LeaseRenewal renewal) {
		return List.of();
	}

	static boolean tellIfPossible(LeaseThreads threads, Runnable task) {
		threads.tell(task);
		return true;
	}

	static <T> CompletableFuture<T> unchanged(CompletableFuture<T> future, Function<?, ?> next) {
		return future;
	}

	static Throwable noError(Throwable cause, LockId lock) {
		return LeaseStoreException.failure((cause instanceof Error) ? new IllegalStateException(cause) : cause, lock);
	}

}
