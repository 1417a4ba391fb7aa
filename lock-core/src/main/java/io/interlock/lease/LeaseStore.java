package io.interlock.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspector;
import io.interlock.provider.LockCapabilities;

/**
 * A store that keeps locks for the length of a lease. Its methods block until the store
 * has answered, which must take a bounded time, and never wait for a lock. They are
 * called by threads of a {@link LeaseLockProvider}, several at once.
 * <p>
 * A method with an executor never blocks: it does the same as the one without, on a
 * thread of the executor, and throws what the executor throws. A store whose client sends
 * without a thread overrides it. Then the stage may end on a thread of the client, which
 * must not block; it ends in a bounded time, with the same failures.
 * <p>
 * What an implementation owes:
 * <ul>
 * <li>The clock of the store decides when a lease is over, and a lease is as long as was
 * asked for, from some moment after the call. After its end the contender holds nothing,
 * and is never taken up again.
 * <li>Of two contenders that exclude each other, one holds the lock at a time. A call
 * whose answer was lost changes nothing about that: each method may be called again for
 * the same contender.
 * <li>A token is greater than all tokens of that lock before.
 * <li>Contenders that wait have their turn in the order in which they came, and no other
 * contender goes in front of them. The lease of a waiting contender ends too.
 * </ul>
 * Methods throw a {@link LeaseStoreException} if the store does not answer, or refuses.
 *
 * @since 0.1.0
 */
public interface LeaseStore extends AutoCloseable {

	/** Return what the store can do. */
	LockCapabilities capabilities();

	/**
	 * Return where the locks are, for logs and operators, without asking the store; by
	 * default little more than the type of the store.
	 */
	default LeaseStoreAddress address() {
		return new LeaseStoreAddress(getClass().getSimpleName(), "unknown", "locks", "the configuration of the store");
	}

	/**
	 * Make sure that the store answers and does what locks need: tables, rights, scripts.
	 * Leaves nothing behind, and is called from time to time. By default a question for a
	 * contender that never was, which every store has to read for.
	 */
	default void check() {
		isHeld(new LeaseContender("interlock-check", "interlock-check", new LockId("interlock-check", null),
				LockMode.EXCLUSIVE, 1, false));
	}

	/**
	 * Acquire a lock if it is free and no other contender waits in front.
	 * @param contender the contender
	 * @param lease length of its lease
	 * @param waits whether it joins the waiting contenders, or stays one of them, if it
	 * does not get the lock; otherwise the store keeps nothing of it
	 * @return whether the contender holds the lock, and whose token keeps it from it
	 */
	LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits);

	/** Like {@link #acquire(LeaseContender, Duration, boolean)}, without blocking. */
	default CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		return CompletableFuture.supplyAsync(() -> acquire(contender, lease, waits), threads);
	}

	/**
	 * Acquire a lock for a contender that waits, if it is its turn. By default the same
	 * as {@link #acquire} by a contender that waits; a store with a cheaper check of the
	 * turn overrides it.
	 * @param contender a contender that has joined the waiting ones, or has dropped out
	 * because its lease is over
	 * @param lease length of its lease
	 * @return whether the contender holds the lock, and whose token keeps it from it
	 */
	default LeaseAnswer acquireInTurn(LeaseContender contender, Duration lease) {
		return acquire(contender, lease, true);
	}

	/** Like {@link #acquireInTurn(LeaseContender, Duration)}, without blocking. */
	default CompletionStage<LeaseAnswer> acquireInTurn(LeaseContender contender, Duration lease, Executor threads) {
		return CompletableFuture.supplyAsync(() -> acquireInTurn(contender, lease), threads);
	}

	/**
	 * Extend the leases of contenders that hold or wait, in as few requests as the store
	 * allows. None of them waits for another one: a contender whose lease cannot be
	 * extended now is passed over.
	 * <p>
	 * A store of several servers asks them at the same time, and one that is away does
	 * not keep the answers of the others back.
	 * @param contenders the contenders, all of one instance
	 * @param lease length of the leases from now on
	 * @return what was done; contenders that are not in it hold nothing
	 * @throws LeaseStoreException if it was not answered for any contender
	 */
	Renewed renew(Collection<LeaseContender> contenders, Duration lease);

	/**
	 * Extend the lease of a holder that renewals have passed over for a third of its
	 * lease, and wait for what keeps it from being extended. Called by one thread, for
	 * one contender at a time, beside all other methods: none of them waits for it. By
	 * default the same as {@link #renew}, which is enough where nothing is passed over.
	 * @param contender the contender
	 * @param lease length of the lease from now on
	 * @return what was done; the contender is passed over if it had to wait for too long,
	 * which a store may also tell by an exception
	 */
	default Renewed renewAlone(LeaseContender contender, Duration lease) {
		return renew(Set.of(contender), lease);
	}

	/**
	 * Let a hold go on without its holder, for a time and no longer. Another contender
	 * takes its place with its token, so a renewal that was sent before finds nothing.
	 * Called only if the store {@linkplain LockCapabilities#outlivesInstance() can} do
	 * that, again if the answer was lost, and beside all other methods.
	 * @param contender the contender, which may hold the lock
	 * @param kept the one in its place, which is {@linkplain #release released} if the
	 * lock is to be free earlier
	 * @param rest time until its lease is over
	 * @return whether {@code kept} holds the lock now; if not, none of the two does
	 */
	default boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		throw new UnsupportedOperationException("This store cannot keep a lock without a holder");
	}

	/** Like {@link #keep(LeaseContender, LeaseContender, Duration)}, without blocking. */
	default CompletionStage<Boolean> keep(LeaseContender contender, LeaseContender kept, Duration rest,
			Executor threads) {
		return CompletableFuture.supplyAsync(() -> keep(contender, kept, rest), threads);
	}

	/** Forget a contender, whether it holds or waits; return whether it held the lock. */
	boolean release(LeaseContender contender);

	/** Like {@link #release(LeaseContender)}, without blocking. */
	default CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		return CompletableFuture.supplyAsync(() -> release(contender), threads);
	}

	/**
	 * Return whether requests for one lock are carried out in the order in which they
	 * were sent, as a rule; by default not. Then an acquisition does not wait for the
	 * answer of the release before it. It is never refused because of that: an exception
	 * to the rule costs one more request.
	 */
	default boolean keepsOrder() {
		return false;
	}

	/** Return whether a contender holds its lock, as the store sees it now. */
	boolean isHeld(LeaseContender contender);

	/** Like {@link #isHeld(LeaseContender)}, without blocking. */
	default CompletionStage<Boolean> isHeld(LeaseContender contender, Executor threads) {
		return CompletableFuture.supplyAsync(() -> isHeld(contender), threads);
	}

	/**
	 * Return those contenders that hold their locks, as the store sees it now, in as few
	 * requests as it allows. By default one for each.
	 */
	default Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		return contenders.stream().filter(this::isHeld).collect(Collectors.toSet());
	}

	/**
	 * Read locks for an operator, of all instances. It is no part of any lock, and may be
	 * refused if it would take too long.
	 * @param query which locks to read, and how many
	 * @return the locks, each with those contenders whose leases run
	 * @throws UnsupportedOperationException if this store does not tell them
	 */
	default LeaseLine.Lines lines(LockInspector.Query query) {
		throw new UnsupportedOperationException(
				("%s cannot list the holders of its locks. Ask each instance for its own at /actuator/locks, or use "
						+ "a store that can: ZooKeeper, a database, Redis (interlock.provider)")
					.formatted(address().store()));
	}

	/** Read one lock, as {@link #lines} does; empty if the store knows nothing of it. */
	default Optional<LeaseLine> line(LockId lock) {
		return lines(new LockInspector.Query(lock.name(), lock.key(), 0, LockInspector.Query.MAX_LIMIT, 1)).lines()
			.stream()
			.filter((line) -> line.exact() && line.lock().equals(lock.withProvider(null)))
			.findFirst();
	}

	/**
	 * Begin to report locks that may be free. A store without such news does nothing, as
	 * by default: contenders that wait ask again in short intervals anyway.
	 * @param freed called on any thread with a lock that may be free
	 */
	default void listen(Consumer<LockId> freed) {
	}

	/**
	 * Return whether each lock that is released from now on is told of, as far as is
	 * known. Then a contender that waits asks once a second. A store that cannot tell any
	 * more answers {@code false}, and tells of all locks that are waited for.
	 * @return {@code false} by default
	 */
	default boolean isTelling() {
		return false;
	}

	/**
	 * Remove some of what no contender needs any more, in a short time. Called from time
	 * to time, one call after the other, beside all other methods. Does nothing by
	 * default.
	 * @return whether there may be more; then it is called again soon
	 */
	default boolean clean() {
		return false;
	}

	/**
	 * Release the resources of the store. Called once, after the other methods; does
	 * nothing by default.
	 */
	@Override
	default void close() {
	}

	/**
	 * What a store answers to a request to extend leases. A contender that is in none of
	 * these holds nothing any more. Immutable.
	 *
	 * @param renewed the contenders whose leases were extended
	 * @param passedOver contenders whose leases still run, and could not be extended now
	 * without letting the others wait; the next request for them follows soon, and
	 * {@link LeaseStore#renewAlone} before their leases are over
	 * @param unanswered contenders in a part of the store that did not answer, or
	 * refused, and why: whether their leases were extended is not known, so their holds
	 * are in doubt; the next request for them follows soon
	 */
	record Renewed(Set<LeaseContender> renewed, Set<LeaseContender> passedOver,
			Map<LeaseContender, LeaseStoreException> unanswered) {

		public Renewed {
			renewed = Set.copyOf(renewed);
			passedOver = Set.copyOf(passedOver);
			unanswered = Map.copyOf(unanswered);
		}

		/** Create the answer of a store that has answered for all contenders. */
		public Renewed(Set<LeaseContender> renewed, Set<LeaseContender> passedOver) {
			this(renewed, passedOver, Map.of());
		}

		/** Return the answer of a store that passes over nothing. */
		public static Renewed of(Set<LeaseContender> renewed) {
			return new Renewed(renewed, Set.of());
		}

	}

}
