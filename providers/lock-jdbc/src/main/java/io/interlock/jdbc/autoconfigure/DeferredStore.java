package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.admin.LockInspector;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.RunRecords;
import org.jspecify.annotations.Nullable;

/**
 * A store that is created when it is first asked, because only a database that answers
 * tells its product. A creation that fails is tried again by the next question. Safe for
 * use by many threads: none waits for the creation of another one.
 */
final class DeferredStore implements LeaseStore, RunRecords {

	private final LeaseStoreAddress configured;

	private final Supplier<JdbcLeaseStore> creation;

	private final AtomicReference<@Nullable JdbcLeaseStore> created = new AtomicReference<>();

	private volatile Consumer<LockId> freed = (id) -> {
	};

	/**
	 * Create a store.
	 * @param configured where the database is, as far as its configuration tells
	 * @param creation creates the store, or fails while the database does not answer
	 */
	DeferredStore(LeaseStoreAddress configured, Supplier<JdbcLeaseStore> creation) {
		this.configured = configured;
		this.creation = creation;
	}

	private JdbcLeaseStore store() {
		JdbcLeaseStore known = this.created.get();
		if (known != null) {
			return known;
		}
		JdbcLeaseStore own = this.creation.get();
		own.listen((id) -> this.freed.accept(id));
		JdbcLeaseStore first = this.created.compareAndExchange(null, own);
		return (first != null) ? first : own;
	}

	@Override
	public LockCapabilities capabilities() {
		return JdbcLeaseStore.CAPABILITIES;
	}

	@Override
	public LeaseStoreAddress address() {
		JdbcLeaseStore known = this.created.get();
		return (known != null) ? known.address() : this.configured;
	}

	@Override
	public void check() {
		store().check();
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		return store().acquire(contender, lease, waits);
	}

	@Override
	public CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		JdbcLeaseStore known = this.created.get();
		return (known != null) ? known.acquire(contender, lease, waits, threads)
				: LeaseStore.super.acquire(contender, lease, waits, threads);
	}

	@Override
	public LeaseAnswer acquireInTurn(LeaseContender contender, Duration lease) {
		return store().acquireInTurn(contender, lease);
	}

	@Override
	public Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		return store().renew(contenders, lease);
	}

	@Override
	public Renewed renewAlone(LeaseContender contender, Duration lease) {
		return store().renewAlone(contender, lease);
	}

	@Override
	public boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		return store().keep(contender, kept, rest);
	}

	@Override
	public boolean release(LeaseContender contender) {
		return store().release(contender);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		JdbcLeaseStore known = this.created.get();
		return (known != null) ? known.release(contender, threads) : LeaseStore.super.release(contender, threads);
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		return store().isHeld(contender);
	}

	@Override
	public Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		return store().held(contenders);
	}

	@Override
	public Lines lines(LockInspector.Query query) {
		return store().lines(query);
	}

	@Override
	public Optional<LeaseLine> line(LockId lock) {
		return store().line(lock);
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.freed = freed;
	}

	@Override
	public boolean isTelling() {
		JdbcLeaseStore known = this.created.get();
		return known != null && known.isTelling();
	}

	@Override
	public boolean clean() {
		return store().clean();
	}

	@Override
	public void record(Run run) {
		store().record(run);
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return store().runs(names);
	}

	@Override
	public void close() {
		JdbcLeaseStore known = this.created.get();
		if (known != null) {
			known.close();
		}
	}

}
