package io.interlock.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.interceptor.JobRuns;
import io.interlock.provider.RunRecords.Run;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.util.Assert;

/**
 * Meters of jobs: a timer of the runs of this instance, and a gauge of the time since the
 * last success of any. Reading them does not block.
 *
 * @since 0.1.0
 */
public class JobRunMetrics implements MeterBinder {

	private final JobRuns runs;

	/** Create a binder for the last runs of jobs. */
	public JobRunMetrics(JobRuns runs) {
		Assert.notNull(runs, "'runs' must not be null");
		this.runs = runs;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Set<LockId> bound = ConcurrentHashMap.newKeySet();
		this.runs.jobs().stream().filter(bound::add).forEach((job) -> lastSuccess(job, registry));
		this.runs.listen((job, run) -> {
			if (bound.add(job)) {
				lastSuccess(job, registry);
			}
			Timer.builder("interlock.run")
				.description("Duration of the runs of a job in this instance")
				.tags(tagsOf(job))
				.tag("outcome", run.succeeded() ? Run.SUCCESS : "failure")
				.register(registry)
				.record(run.duration());
		});
	}

	private static Tags tagsOf(LockId job) {
		return Tags.of("name", job.name()).and(LockStoreMetrics.tagsOf(job.provider()));
	}

	private void lastSuccess(LockId job, MeterRegistry registry) {
		TimeGauge.builder("interlock.run.last.success", this.runs, TimeUnit.MILLISECONDS, (known) -> {
			Instant last = known.lastSuccess(job);
			return (last != null) ? Math.max(0, Duration.between(last, Instant.now()).toMillis()) : Double.NaN;
		})
			.description("Time since a run of a job last ended with success, in any instance")
			.tags(tagsOf(job))
			.strongReference(true)
			.register(registry);
	}

}
