package io.interlock.queue;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;

import org.springframework.util.Assert;

/**
 * Lets the threads of this JVM queue for a lock among themselves. Only the first of them
 * contends at the provider behind this one; what is granted to it is handed from thread
 * to thread, in the order in which they asked, until the grant is old enough and other
 * instances have their turn. Safe for use by many threads.
 * <p>
 * The way is that of cohort locks (Dice, Marathe and Shavit, "Lock Cohorting", PPoPP
 * 2012): handing over inside costs nothing outside, and a limit keeps it fair.
 *
 * @since 0.1.0
 */
public final class QueueingLockProvider implements LockProvider {

	private final LockProvider provider;

	private final QueueSettings settings;

	private final ConcurrentMap<LockId, LockQueue> queues = new ConcurrentHashMap<>();

	private volatile boolean refusing;

	/**
	 * Put a queue in front of a provider.
	 * @param provider where the locks come from
	 * @param settings how to queue
	 */
	public QueueingLockProvider(LockProvider provider, QueueSettings settings) {
		Assert.notNull(provider, "'provider' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.provider = provider;
		this.settings = settings;
		provider.onUnavailable(() -> this.queues.values().forEach(LockQueue::reconsider));
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		return attempt(request, owner, false);
	}

	/**
	 * Start again, ahead of everybody who came later.
	 */
	@Override
	public LockAttempt retry(LockRequest request, LockOwner owner) {
		return attempt(request, owner, true);
	}

	private LockAttempt attempt(LockRequest request, LockOwner owner, boolean first) {
		if (!this.settings.isEnabled(request.id().name())) {
			return first ? this.provider.retry(request, owner) : this.provider.attempt(request, owner);
		}
		boolean once = request.waitTime() != null && request.waitTime().isZero();
		return once ? tryOnce(request, owner) : enqueue(request, owner, first);
	}

	private LockAttempt enqueue(LockRequest request, LockOwner owner, boolean first) {
		while (true) {
			LockQueue queue = queue(request.id());
			Waiter waiter = new Waiter(request, owner, queue);
			if (queue.enqueue(waiter, first)) {
				if (this.refusing) {
					queue.failAll(Refusals.stopping(request.id()));
				}
				return waiter;
			}
		}
	}

	private LockAttempt tryOnce(LockRequest request, LockOwner owner) {
		LockQueue queue = this.queues.get(request.id());
		if (queue != null) {
			Waiter waiter = new Waiter(request, owner, queue);
			if (queue.tryLocally(waiter)) {
				return waiter;
			}
		}
		return new ProviderTry(this.provider.attempt(request, owner), this::adopt);
	}

	private LockHandle adopt(LockHandle grant) {
		while (true) {
			LockHandle holder = queue(grant.id()).adopt(grant);
			if (holder != null) {
				return holder;
			}
		}
	}

	private LockQueue queue(LockId id) {
		// get first: computeIfAbsent may lock even if the entry is there
		LockQueue queue = this.queues.get(id);
		return (queue != null) ? queue : this.queues.computeIfAbsent(id, (absent) -> new LockQueue(absent,
				this.provider, this.settings, (idle) -> this.queues.remove(absent, idle), () -> this.refusing));
	}

	/**
	 * Refuse new attempts, wake those that wait with
	 * {@link io.interlock.LockServiceUnavailableException}, and hand nothing over any
	 * more.
	 */
	@Override
	public void refuse() {
		this.refusing = true;
		this.provider.refuse();
		this.queues.values().forEach((queue) -> queue.failAll(Refusals.stopping(queue.id())));
	}

	@Override
	public void accept() {
		this.provider.accept();
		this.refusing = false;
	}

	/**
	 * Return the locks that threads of this JVM hold or wait for, the longest queue
	 * first.
	 * @return a snapshot
	 */
	public List<QueueSnapshot> queues() {
		return this.queues.values()
			.stream()
			.map(LockQueue::snapshot)
			.sorted(Comparator.comparingInt(QueueSnapshot::waiting).reversed())
			.toList();
	}

}
