package io.interlock.leader;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.internal.LockThreads;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

/**
 * Elects one of the instances that join under a name. The leader holds the exclusive lock
 * {@value #LOCK_NAME} with that name as its key, past the queue that the threads of an
 * instance share; the others wait for it, in order, without a thread. Instances contend
 * from {@link #start()} to {@link #stop()}, which an application context calls. Safe for
 * use by many threads.
 *
 * @since 0.1.0
 */
public class LeaderElection implements SmartLifecycle {

	/** Name of the locks behind elections. */
	public static final String LOCK_NAME = "leader";

	/**
	 * Starts after the locks and stops before them, so that a leader can still release
	 * its lock.
	 */
	static final int PHASE = DEFAULT_PHASE - 3071;

	private final Function<LockId, LockProvider> providers;

	private final ApplicationEventPublisher events;

	private final Executor threads;

	private final ConcurrentMap<LockId, Election> elections = new ConcurrentHashMap<>();

	private volatile boolean running;

	private volatile boolean ready = true;

	/**
	 * Create elections that do not contend yet.
	 * @param provider where the locks come from
	 * @param events where {@link LeadershipGrantedEvent} and
	 * {@link LeadershipRevokedEvent} go
	 */
	public LeaderElection(LockProvider provider, ApplicationEventPublisher events) {
		this(provider, events, threads());
	}

	/**
	 * Create elections at several providers, which do not contend yet.
	 * @param providers returns where a lock comes from, and fails for one whose provider
	 * is not known
	 * @param events as above
	 */
	public LeaderElection(Function<LockId, LockProvider> providers, ApplicationEventPublisher events) {
		this(providers, events, threads());
	}

	LeaderElection(LockProvider provider, ApplicationEventPublisher events, Executor threads) {
		this((Function<LockId, LockProvider>) (id) -> provider, events, threads);
		Assert.notNull(provider, "'provider' must not be null");
	}

	private LeaderElection(Function<LockId, LockProvider> providers, ApplicationEventPublisher events,
			Executor threads) {
		Assert.notNull(providers, "'providers' must not be null");
		Assert.notNull(events, "'events' must not be null");
		this.providers = providers;
		this.events = events;
		this.threads = threads;
	}

	private static Executor threads() {
		return LockThreads.WORKER.pools("leader").unbounded();
	}

	/** Like {@link #join(String, LeadershipListener)}, without a listener. */
	public Leadership join(String name) {
		return join(name, null, null);
	}

	/**
	 * Join an election with a listener. Returns at once. An instance that joins under one
	 * name several times stands for election once, and leaves when the last leadership is
	 * closed; each has its own callbacks.
	 * @param name name of the election
	 * @param listener called also if this instance leads already
	 * @return the part of this instance in it
	 * @throws IllegalArgumentException if the name is blank
	 */
	public Leadership join(String name, LeadershipListener listener) {
		Assert.notNull(listener, "'listener' must not be null");
		return join(name, null, listener);
	}

	/**
	 * Join an election at a provider: elections of one name at two providers are two.
	 * Logs, events and {@link #leading()} call this one {@code name@provider}.
	 * @param name name of the election
	 * @param provider name of the provider, or {@code null} for the default one
	 * @param listener called also if this instance leads already, or {@code null}
	 * @return the part of this instance in it
	 * @throws IllegalArgumentException if the name is blank, or the provider not known
	 */
	public Leadership join(String name, @Nullable String provider, @Nullable LeadershipListener listener) {
		return election(name, provider).join(listener);
	}

	/** Return a snapshot of the elections won by this instance: names and tokens. */
	public Map<String, Long> leading() {
		Map<String, Long> leading = new TreeMap<>();
		this.elections.values()
			.stream()
			.filter(Election::isLeader)
			.forEach((each) -> leading.put(each.name(), each.token()));
		return leading;
	}

	/** Return those of one provider, {@code null} for the default one. */
	public Map<String, Long> leading(@Nullable String provider) {
		Map<String, Long> leading = new TreeMap<>();
		this.elections.forEach((id, election) -> {
			if (Objects.equals(id.provider(), provider) && election.isLeader()) {
				leading.put(election.name(), election.token());
			}
		});
		return leading;
	}

	/**
	 * Return the exception that explains why this instance does not lead.
	 * @param name name of the election
	 * @return {@link io.interlock.LockNotAcquiredException} if another instance leads,
	 * {@link io.interlock.LockServiceUnavailableException} if that is not known
	 */
	public LockException refusal(String name) {
		return refusal(name, null);
	}

	/** Like {@link #refusal(String)}, of an election at a provider. */
	public LockException refusal(String name, @Nullable String provider) {
		return election(name, provider).refusal();
	}

	private Election election(String name, @Nullable String provider) {
		Assert.hasText(name, "'name' of an election must not be empty");
		return this.elections.computeIfAbsent(new LockId(LOCK_NAME, name).withProvider(provider),
				(id) -> new Election(id, this.providers.apply(id), this));
	}

	/**
	 * Say whether the application is ready, as it is at first. While it is not, this
	 * instance does not stand for election, and gives up what it leads.
	 */
	public void setReady(boolean ready) {
		this.ready = ready;
		this.elections.values().forEach(Election::wake);
	}

	boolean contends() {
		return this.running && this.ready;
	}

	void publish(Object event) {
		this.events.publishEvent(event);
	}

	/**
	 * Run a step. If no thread can be started, try again later, because no other step
	 * would replace this one.
	 */
	void execute(Runnable step) {
		try {
			this.threads.execute(step);
		}
		catch (RuntimeException | Error ex) {
			CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, this::execute).execute(step);
		}
	}

	void executeLater(Runnable step, long delayMillis) {
		CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, Runnable::run).execute(step);
	}

	@Override
	public void start() {
		this.running = true;
		this.elections.values().forEach(Election::wake);
	}

	@Override
	public void stop() {
		stop(() -> {
		});
	}

	/**
	 * Give up what this instance leads, after the listeners have run, and contend no more
	 * until {@link #start()}. Returns at once.
	 * @param callback runs when that is done
	 */
	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture.allOf(this.elections.values().stream().map(Election::wake).toArray(CompletableFuture[]::new))
			.whenComplete((done, failure) -> callback.run());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
