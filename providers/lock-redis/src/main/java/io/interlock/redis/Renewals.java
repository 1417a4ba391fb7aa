package io.interlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.internal.LockThreads;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.lease.LeaseStoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Extends leases, in these steps:
 * <ol>
 * <li>Divide the contenders into parts: 200 for each script, and in a cluster those of
 * one slot, because a script may not use keys of several slots.
 * <li>Send the scripts of all parts at once.
 * <li>Wait for the answers, a third of the lease at most. Once one part has succeeded,
 * the others have a tenth of the lease: a node that does not answer must not make the
 * holds on the other nodes old. It is asked again soon, and without the others.
 * <li>Tell what was renewed, and which parts did not answer. A key that has something
 * else than a lock is named in the log, and its contenders hold nothing any more.
 * </ol>
 * For one thread.
 */
final class Renewals {

	private static final Log logger = LogFactory.getLog(Renewals.class);

	private static final int CHUNK = 200;

	private final RedisCalls calls;

	private final LockKeys keys;

	private final String keepUnused;

	/** For connections that block, and those that are not made yet. */
	private final Executor threads = LockThreads.WORKER.pools("renewal").perTask();

	Renewals(RedisCalls calls, LockKeys keys, String keepUnused) {
		this.calls = calls;
		this.keys = keys;
		this.keepUnused = keepUnused;
	}

	Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		List<List<LeaseContender>> parts = parts(contenders);
		Executor threads = (parts.size() == 1) ? Runnable::run : this.threads;
		List<CompletableFuture<List<?>>> answers = parts.stream().map((part) -> send(part, lease, threads)).toList();
		await(answers, lease);
		Set<LeaseContender> renewed = new HashSet<>();
		Map<LeaseContender, LeaseStoreException> unanswered = new HashMap<>();
		for (int i = 0; i < parts.size(); i++) {
			List<LeaseContender> part = parts.get(i);
			try {
				renewed.addAll(renewed(part, answer(answers.get(i))));
			}
			catch (LeaseStoreException ex) {
				part.forEach((contender) -> unanswered.put(contender, ex));
			}
		}
		if (!unanswered.isEmpty() && unanswered.size() == contenders.size()) {
			throw unanswered.values().iterator().next();
		}
		return new Renewed(renewed, Set.of(), unanswered);
	}

	private List<List<LeaseContender>> parts(Collection<LeaseContender> contenders) {
		List<List<LeaseContender>> parts = new ArrayList<>();
		for (List<LeaseContender> group : groups(contenders)) {
			for (int start = 0; start < group.size(); start += CHUNK) {
				parts.add(group.subList(start, Math.min(group.size(), start + CHUNK)));
			}
		}
		return parts;
	}

	private Collection<List<LeaseContender>> groups(Collection<LeaseContender> contenders) {
		if (contenders.size() == 1 || !this.calls.isCluster()) {
			return List.of(List.copyOf(contenders));
		}
		return contenders.stream()
			.collect(Collectors.groupingBy((contender) -> ClusterSlotHashUtil.calculateSlot(keyOf(contender)),
					TreeMap::new, Collectors.toList()))
			.values();
	}

	private String keyOf(LeaseContender contender) {
		return this.keys.keyOf(contender.lock());
	}

	private CompletableFuture<List<?>> send(List<LeaseContender> part, Duration lease, Executor threads) {
		List<String> keys = part.stream().map(this::keyOf).toList();
		List<String> arguments = new ArrayList<>(List.of(Long.toString(lease.toMillis()), this.keepUnused));
		part.forEach((contender) -> arguments.add(contender.id()));
		return this.calls.run(LeaseScripts.RENEW, keys, arguments, threads)
			.<List<?>>thenApply((answer) -> answer)
			.toCompletableFuture();
	}

	private static void await(List<CompletableFuture<List<?>>> answers, Duration lease) {
		CompletableFuture<?> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
			.handle((done, failure) -> true);
		CompletableFuture<Object> first = new CompletableFuture<>();
		answers.forEach((answer) -> answer.thenAccept(first::complete));
		await(CompletableFuture.anyOf(all, first), lease.dividedBy(3));
		if (first.isDone()) {
			await(all, lease.dividedBy(10));
		}
	}

	private static void await(CompletableFuture<?> event, Duration limit) {
		try {
			event.get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			// What is not answered is told as such.
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("What is waited for never fails", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static List<?> answer(CompletableFuture<List<?>> answer) {
		if (!answer.isDone()) {
			throw LeaseStoreException.passing("Redis has not answered in time", null);
		}
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof LeaseStoreException failure) ? failure
					: LeaseStoreException.passing(String.valueOf(ex.getCause()), ex);
		}
	}

	private List<LeaseContender> renewed(List<LeaseContender> part, List<?> answers) {
		List<LeaseContender> renewed = new ArrayList<>();
		Map<LockId, String> foreign = new HashMap<>();
		for (int i = 0; i < part.size(); i++) {
			String answer = text(answers.get(i));
			if (answer.equals("1")) {
				renewed.add(part.get(i));
			}
			else if (!answer.equals("0")) {
				foreign.put(part.get(i).lock(), answer);
			}
		}
		foreign.forEach((lock, answer) -> logger.warn("The lease of lock %s is lost: %s".formatted(lock,
				RedisFailures.noLock(this.keys.keyOf(lock), answer).getMessage())));
		return renewed;
	}

	private static String text(Object answer) {
		return (answer instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : answer.toString();
	}

}
