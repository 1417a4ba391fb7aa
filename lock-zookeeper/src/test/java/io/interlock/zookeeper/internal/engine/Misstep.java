package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.interlock.zookeeper.internal.engine.AttemptSteps.State;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.node.LockNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What takes the place of a method where a rule is off, and nothing simpler does it. The
 * parameters are the target and the arguments, and at the end the object that calls, if
 * it is needed.
 */
final class Misstep {

	private Misstep() {
	}

	/** For {@link EngineRule#KEPT_CLOCK}. */
	static long ownTime(LockNode node, long now) {
		return node.ctime() + now / 1_000_000;
	}

	/** For {@link EngineRule#KEPT_REST}. */
	static long timeOfCreation(LockNode node, long now) {
		return node.ctime();
	}

	/** For {@link EngineRule#KEPT_END}. */
	static CompletableFuture<Result> leave(Deletions deletions, String path) {
		return CompletableFuture.completedFuture(Result.DELETED);
	}

	/** For {@link EngineRule#GETDATA}. */
	static boolean leavesWatchOnMissingNode(SimulatedRequest request) {
		return request.onEvent != null && (request.code == Code.OK || request.code == Code.NONODE);
	}

	/** For {@link EngineRule#TOKEN}. */
	static long sequenceNumber(LockNode node) {
		return Long.parseLong(node.path().substring(node.path().length() - 10));
	}

	/** For {@link EngineRule#TOKEN_STAT}. */
	static @Nullable LockNode madeWhenSent(String lockPath, String path, @Nullable Stat stat, long sentAt,
			long answeredAt) {
		return (stat != null)
				? new LockNode(path, sentAt, stat.getCtime(), stat.getEphemeralOwner(), sentAt, answeredAt) : null;
	}

	/** For {@link EngineRule#TRY_DELETE}. */
	static void endWithNode(AttemptSteps attempt) {
		attempt.enter(State.ENDED);
		attempt.nextRound();
		attempt.engine().remove(attempt);
		attempt.engine().endUse(attempt.lockPath());
	}

	/** For {@link EngineRule#ROUND}. */
	static void makeInAnyRound(AttemptSteps attempt, int round, Runnable step) {
		attempt.make(step);
	}

	/** For {@link EngineRule#LOWEST}. */
	static Object last(List<?> nodes, int index) {
		return nodes.get(nodes.size() - 1);
	}

	/** For {@link EngineRule#EXTRAS_CONFIRMED}. */
	static List<String> nodesWithExtrasDeleted(Listing listing, String prefix, NodeAttempt attempt) {
		List<String> nodes = listing.nodesOf(prefix);
		nodes.stream()
			.skip(1)
			.forEach((other) -> attempt.engine().deletions().delete(attempt.lockPath() + "/" + other));
		return nodes;
	}

	/** For {@link EngineRule#LATE_CREATE}. */
	static void leaveWithNode(AttemptSteps attempt, @Nullable String node, @Nullable String prefix) {
		attempt.leave(null, prefix);
	}

	/** For {@link EngineRule#OWE_AGAIN}. */
	static void acceptAsDone(Consumer<Object> answer, Object code) {
		answer.accept(Code.OK);
	}

	/** For {@link EngineRule#REFUSED_USE}. */
	static void failWithoutStart(SimulatedEngine engine, NodeAttempt attempt) {
		if (engine.isClosing()) {
			attempt.fail(ProviderFailures.closed(attempt.request().id()));
		}
		else {
			attempt.start();
		}
	}

	/** For {@link EngineRule#ERROR_CREATE}. */
	static void createWithoutError(Engine engine, Requests requests, String path, byte[] data, CreateMode mode,
			Requests.Creation answer) {
		try {
			engine.create(requests, path, data, mode, answer);
		}
		catch (OutOfMemoryError ex) {
			// The attempt waits for an answer that does not come.
		}
	}

}
