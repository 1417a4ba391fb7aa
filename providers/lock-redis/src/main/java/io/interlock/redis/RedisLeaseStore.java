package io.interlock.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.admin.LockInspector;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.RunRecords;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.Assert;

/**
 * Leases in Redis. Safe for use by many threads.
 * <p>
 * Each lock is one hash, changed by scripts only. Invariants:
 * <ul>
 * <li>Each contender is a field of the hash: its turn, its token once it holds the lock,
 * and the end of its lease by the clock of the server. A field whose lease is over counts
 * as absent, and is removed by the next acquisition.
 * <li>Tokens and turns are numbers that only grow: one more than the last one, and not
 * less than the time in microseconds. So they grow when the hash has vanished, and when
 * the server has lost its data.
 * <li>The hash vanishes when the lock was not used for a time, and not before the last
 * lease in it is over.
 * </ul>
 * The last runs of jobs are fields of one hash beside the locks.
 * <p>
 * A server that fails over to a replica may forget what it has confirmed, unless it
 * waited for that replica before a lock was granted. Then two contenders hold the lock
 * until the first one renews its lease in vain; the second one has the greater token, as
 * long as the clock of the replica is not behind that of the old server by more than the
 * fail-over took.
 *
 * @since 0.1.0
 */
public final class RedisLeaseStore implements LeaseStore, RunRecords {

	private static final LockCapabilities CAPABILITIES = new LockCapabilities(true, true, true, false, true);

	private static final int MAX_INSTANCE = 255;

	private static final List<String> CHECK = List.of("check");

	private static final LockId CHECKED = new LockId("interlock-check", null);

	private final RedisCalls calls;

	private final LostConnection lost;

	/** {@code null} if no replica has to confirm an acquisition. */
	private final @Nullable ConfirmedCalls confirmed;

	private final LeaseStoreAddress address;

	private final LockKeys keys;

	private final FreedLocks freed;

	private final Renewals renewals;

	private final LockLines lines;

	private final String keepUnused;

	private final String runsKey;

	/**
	 * Create a store.
	 * @param connections connections to Redis, whose timeout should be a fraction of the
	 * lease; not closed with this store
	 * @param settings how to behave
	 */
	public RedisLeaseStore(RedisConnectionFactory connections, RedisLeaseStoreSettings settings) {
		Assert.notNull(connections, "'connections' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.calls = new RedisCalls(connections);
		this.lost = new LostConnection(connections, this.calls);
		this.confirmed = (settings.waitReplicas() > 0)
				? new ConfirmedCalls(connections, settings.waitReplicas(), settings.waitReplicasTimeout()) : null;
		this.address = new LeaseStoreAddress("Redis", RedisAddress.of(connections),
				"keys that begin with " + settings.keyPrefix(),
				"spring.data.redis.host and spring.data.redis.port, or spring.data.redis.url");
		this.keys = new LockKeys(settings.keyPrefix());
		this.freed = new FreedLocks(connections, this.keys, settings.keyPrefix());
		this.keepUnused = millis(settings.keepUnused());
		this.renewals = new Renewals(this.calls, this.keys, this.keepUnused);
		this.lines = new LockLines(this.calls, this.keys);
		this.runsKey = settings.keyPrefix() + "runs";
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

	@Override
	public LockCapabilities capabilities() {
		return CAPABILITIES;
	}

	@Override
	public LeaseStoreAddress address() {
		return this.address;
	}

	@Override
	public void check() {
		try {
			checkCommands();
		}
		catch (LeaseStoreException ex) {
			throw this.lost.reason(ex);
		}
	}

	private void checkCommands() {
		List<String> key = List.of(this.keys.keyOf(CHECKED));
		this.calls.run(LeaseScripts.CHECK, key, CHECK);
		if (this.confirmed != null) {
			LockLines.answer(this.confirmed.run(LeaseScripts.CHECK, key, CHECK, Runnable::run).toCompletableFuture());
		}
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		return (this.confirmed != null)
				? LockLines.answer(acquire(contender, lease, waits, Runnable::run).toCompletableFuture())
				: answer(this.calls.run(LeaseScripts.ACQUIRE, keyOf(contender), acquisition(contender, lease, waits)));
	}

	@Override
	public CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		List<String> acquisition = acquisition(contender, lease, waits);
		CompletionStage<Long> token = (this.confirmed != null)
				? this.confirmed.run(LeaseScripts.ACQUIRE, keyOf(contender), acquisition, threads)
				: this.calls.run(LeaseScripts.ACQUIRE, keyOf(contender), acquisition, threads);
		return token.thenApply(RedisLeaseStore::answer);
	}

	@Override
	public CompletionStage<LeaseAnswer> acquireInTurn(LeaseContender contender, Duration lease, Executor threads) {
		return acquire(contender, lease, true, threads);
	}

	private List<String> acquisition(LeaseContender contender, Duration lease, boolean waits) {
		return List.of(contender.id(), contender.mode().name(), Integer.toString(contender.permits()),
				this.freed.channel(), instanceOf(contender), millis(lease), this.keepUnused, flag(waits),
				flag(contender.first()));
	}

	private static LeaseAnswer answer(long token) {
		return (token > 0) ? LeaseAnswer.granted(token) : LeaseAnswer.heldBy(-token);
	}

	private List<String> keyOf(LeaseContender contender) {
		return List.of(this.keys.keyOf(contender.lock()));
	}

	private static String instanceOf(LeaseContender contender) {
		String instance = contender.instance();
		return instance.substring(0, Math.min(instance.length(), MAX_INSTANCE));
	}

	private static String flag(boolean flag) {
		return flag ? "1" : "0";
	}

	@Override
	public Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		return this.renewals.renew(contenders, lease);
	}

	@Override
	public boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		return this.calls.run(LeaseScripts.KEEP, keyOf(contender), keeping(contender, kept, rest)) == 1;
	}

	@Override
	public CompletionStage<Boolean> keep(LeaseContender contender, LeaseContender kept, Duration rest,
			Executor threads) {
		return this.calls.run(LeaseScripts.KEEP, keyOf(contender), keeping(contender, kept, rest), threads)
			.thenApply((taken) -> taken == 1);
	}

	private List<String> keeping(LeaseContender contender, LeaseContender kept, Duration rest) {
		return List.of(contender.id(), kept.id(), millis(rest), this.keepUnused);
	}

	@Override
	public boolean release(LeaseContender contender) {
		return this.calls.run(LeaseScripts.RELEASE, keyOf(contender), List.of(contender.id())) == 1;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		return this.calls.run(LeaseScripts.RELEASE, keyOf(contender), List.of(contender.id()), threads)
			.thenApply((held) -> held == 1);
	}

	/**
	 * One connection has the requests for one lock, and a server answers it in their
	 * order. Exceptions are a script that the server does not know yet, which is sent
	 * again, a node of a cluster that sends a request on, and a connection that is made
	 * again. Acquisitions that wait for replicas have another connection than releases.
	 */
	@Override
	public boolean keepsOrder() {
		return this.confirmed == null && this.calls.isPipelined();
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		return this.calls.run(LeaseScripts.HELD, keyOf(contender), List.of(contender.id())) == 1;
	}

	@Override
	public CompletionStage<Boolean> isHeld(LeaseContender contender, Executor threads) {
		return this.calls.run(LeaseScripts.HELD, keyOf(contender), List.of(contender.id()), threads)
			.thenApply((held) -> held == 1);
	}

	/** One script for each, all sent at once. */
	@Override
	public Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		Map<LeaseContender, CompletionStage<Boolean>> answers = new LinkedHashMap<>();
		contenders.forEach((contender) -> answers.put(contender, isHeld(contender, Runnable::run)));
		Set<LeaseContender> held = new HashSet<>();
		answers.forEach((contender, answer) -> {
			if (LockLines.answer(answer.toCompletableFuture())) {
				held.add(contender);
			}
		});
		return held;
	}

	@Override
	public Lines lines(LockInspector.Query query) {
		return this.lines.lines(query);
	}

	@Override
	public Optional<LeaseLine> line(LockId lock) {
		return this.lines.line(lock);
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.freed.listen(freed);
	}

	@Override
	public void record(Run run) {
		this.calls.put(this.runsKey, run.name(), run.toText());
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return names.stream()
			.flatMap((name) -> Stream.ofNullable(this.calls.get(this.runsKey, name))
				.flatMap((text) -> Stream.ofNullable(Run.parse(name, text))))
			.toList();
	}

	@Override
	public void close() {
		this.freed.close();
		this.lost.close();
		if (this.confirmed != null) {
			this.confirmed.close();
		}
	}

}
