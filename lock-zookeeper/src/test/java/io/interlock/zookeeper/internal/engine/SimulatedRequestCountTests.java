package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.interlock.LockRequest;
import io.interlock.zookeeper.internal.engine.SimulatedRequest.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an attempt asks of simulated servers when nothing fails.
 */
class SimulatedRequestCountTests {

	private final SimulatedServers servers = new SimulatedServers(4, SimulatedEngine.ROOT + "/mutex");

	private final List<SimulatedContender> contenders = new ArrayList<>();

	private final SimulationChecks checks = new SimulationChecks(this.servers, this.contenders);

	private final List<SimulatedHandle> handles = new ArrayList<>();

	private PipelinedContender contender() {
		return contender(LockRequest.exclusive("mutex"));
	}

	private PipelinedContender contender(LockRequest request) {
		int client = this.handles.size();
		SimulatedEngine engine = new SimulatedEngine(this.servers, client, true);
		this.checks.add(engine);
		this.handles.add(engine.current());
		engine.current().connect(client, false);
		engine.current().drain();
		PipelinedContender contender = new PipelinedContender(client, client, request, true, engine, this.checks);
		this.contenders.add(contender);
		return contender;
	}

	/** Make a step of a contender, and count the requests until nothing is under way. */
	private Map<Kind, Integer> count(Runnable step) {
		int[] before = this.servers.counts.clone();
		step.run();
		for (int round = 0; round < 10; round++) {
			this.handles.forEach(this::exhaust);
		}
		Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
		for (Kind kind : Kind.values()) {
			int count = this.servers.counts[kind.ordinal()] - before[kind.ordinal()];
			if (count > 0) {
				counts.put(kind, count);
			}
		}
		assertThat(this.checks.violation()).isNull();
		return counts;
	}

	private void exhaust(SimulatedHandle handle) {
		for (SimulatedRequest next = handle.connection.nextWrite(); next != null; next = handle.connection
			.nextWrite()) {
			this.servers.execute(next, handle.session);
		}
		for (int server = 0; server < this.servers.applied.length; server++) {
			while (this.servers.applied[server] < this.servers.zxid()) {
				this.servers.apply(server);
			}
		}
		while (this.servers.canAnswer(handle.connection)) {
			this.servers.answer(handle.connection);
		}
		while (!handle.connection.sent.isEmpty()) {
			handle.receive();
			handle.drain();
		}
	}

	@Test
	void freeLockIsCreatedListedAndDeleted() {
		PipelinedContender contender = contender();
		assertThat(count(contender::start)).isEqualTo(Map.of(Kind.CREATE, 1, Kind.LIST, 1));
		assertThat(contender.claims()).isTrue();
		assertThat(contender.grant.contended()).isFalse();
		assertThat(count(contender::release)).isEqualTo(Map.of(Kind.DELETE, 1));
	}

	@Test
	void handOverToAnotherInstanceNeedsADeletionOnly() {
		PipelinedContender first = contender();
		PipelinedContender second = contender();
		count(first::start);
		assertThat(count(second::start)).isEqualTo(Map.of(Kind.CREATE, 1, Kind.LIST, 1, Kind.WATCH, 2));
		assertThat(count(first::release)).isEqualTo(Map.of(Kind.DELETE, 1));
		assertThat(second.claims()).isTrue();
		assertThat(second.grant.contended()).isTrue();
	}

	@Test
	void turnBehindThreeListsTheQueueAheadAndNotBetweenTwoHolders() {
		List<PipelinedContender> queue = IntStream.range(0, 4).mapToObj((number) -> contender()).toList();
		queue.subList(0, 3).forEach((contender) -> count(contender::start));
		PipelinedContender last = queue.get(3);
		assertThat(count(last::start)).isEqualTo(Map.of(Kind.CREATE, 1, Kind.LIST, 1, Kind.WATCH, 3));
		assertThat(count(queue.get(0)::release)).isEqualTo(Map.of(Kind.DELETE, 1));
		assertThat(count(queue.get(1)::release)).isEqualTo(Map.of(Kind.DELETE, 1, Kind.LIST, 1));
		assertThat(count(queue.get(2)::release)).isEqualTo(Map.of(Kind.DELETE, 1));
		assertThat(last.claims()).isTrue();
	}

	@Test
	void waiterForAPermitWatchesTheQueueAndNotItsOwnNode() {
		LockRequest permit = LockRequest.semaphore("mutex", 1);
		PipelinedContender holder = contender(permit);
		PipelinedContender waiter = contender(permit);
		count(holder::start);
		assertThat(count(waiter::start)).isEqualTo(Map.of(Kind.CREATE, 1, Kind.LIST, 2));
		assertThat(count(holder::release)).isEqualTo(Map.of(Kind.DELETE, 1, Kind.LIST, 1));
		assertThat(waiter.claims()).isTrue();
	}

}
