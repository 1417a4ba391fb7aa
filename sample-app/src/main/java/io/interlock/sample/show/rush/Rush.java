package io.interlock.sample.show.rush;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.instance.Instance;
import io.interlock.sample.instance.Instances;
import io.interlock.sample.instance.ThisInstance;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Service;

/**
 * Lets many buyers loose on one event, on all instances at once. There is one rush at a
 * time, wherever it was started.
 */
@Service
class Rush {

	private final OneAtATime oneAtATime;

	private final BoxOffice boxOffice;

	private final Instances instances;

	private final ThisInstance thisInstance;

	private final Crowd crowd;

	private final OtherInstance otherInstance;

	private final AsyncTaskExecutor executor;

	Rush(OneAtATime oneAtATime, BoxOffice boxOffice, Instances instances, ThisInstance thisInstance, Crowd crowd,
			OtherInstance otherInstance, AsyncTaskExecutor applicationTaskExecutor) {
		this.oneAtATime = oneAtATime;
		this.boxOffice = boxOffice;
		this.instances = instances;
		this.thisInstance = thisInstance;
		this.crowd = crowd;
		this.otherInstance = otherInstance;
		this.executor = applicationTaskExecutor;
	}

	RushResult start(long eventId, int buyers, @Nullable Duration payment) {
		return this.oneAtATime.run(() -> run(eventId, buyers, payment));
	}

	private RushResult run(long eventId, int buyers, @Nullable Duration payment) {
		this.boxOffice.reset(eventId);
		long start = System.nanoTime();
		List<Share> shares = send(eventId, buyers, payment);
		long durationMillis = Duration.ofNanos(System.nanoTime() - start).toMillis();
		return RushResult.of(eventId, buyers, this.boxOffice.report(eventId), durationMillis, shares);
	}

	private List<Share> send(long eventId, int buyers, @Nullable Duration payment) {
		List<Instance> live = this.instances.live();
		List<CompletableFuture<Share>> shares = new ArrayList<>();
		for (int i = 0; i < live.size(); i++) {
			Instance instance = live.get(i);
			int part = buyers / live.size() + ((i < buyers % live.size()) ? 1 : 0);
			if (part > 0) {
				shares.add(this.executor.submitCompletable(() -> buy(instance, eventId, part, payment)));
			}
		}
		return shares.stream().map(CompletableFuture::join).toList();
	}

	private Share buy(Instance instance, long eventId, int buyers, @Nullable Duration payment) {
		boolean here = instance.name().equals(this.thisInstance.name());
		return here ? this.crowd.buy(eventId, buyers, payment)
				: this.otherInstance.buy(instance, eventId, buyers, payment);
	}

}
