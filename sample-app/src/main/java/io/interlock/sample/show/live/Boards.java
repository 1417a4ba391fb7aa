package io.interlock.sample.show.live;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.instance.Instance;
import io.interlock.sample.instance.InstanceClient;
import io.interlock.sample.instance.Instances;
import io.interlock.sample.instance.ThisInstance;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Asks all instances how they are. However many pages look, the instances are asked a few
 * times a second at the most.
 */
@Component
class Boards {

	private static final long FRESH_NANOS = Duration.ofMillis(150).toNanos();

	private static final String JOIN = "mvn -q -pl sample-app -am spring-boot:run -Dspring-boot.run.profiles=join";

	private final InstanceViews here;

	private final ClusterQueues queues;

	private final Instances instances;

	private final ThisInstance thisInstance;

	private final InstanceClient client;

	private final AsyncTaskExecutor executor;

	private final boolean controls;

	private final @Nullable String joinCommand;

	private @Nullable Board latest;

	private long latestAt;

	Boards(InstanceViews here, ClusterQueues queues, Instances instances, ThisInstance thisInstance,
			InstanceClient client, AsyncTaskExecutor applicationTaskExecutor, BoxOfficeProperties properties,
			@Value("${interlock.provider}") String provider) {
		this.here = here;
		this.queues = queues;
		this.instances = instances;
		this.thisInstance = thisInstance;
		this.client = client;
		this.executor = applicationTaskExecutor;
		this.controls = properties.controls();
		this.joinCommand = joinCommand(provider);
	}

	/** A further instance has the locks where the others have them. */
	private static @Nullable String joinCommand(String provider) {
		return switch (provider) {
			case "memory" -> null;
			case "zookeeper" -> JOIN;
			default -> JOIN + " -Dspring-boot.run.arguments=--interlock.provider=" + provider;
		};
	}

	synchronized Board board() {
		Board board = this.latest;
		if (board == null || System.nanoTime() - this.latestAt > FRESH_NANOS) {
			board = ask();
			this.latest = board;
			this.latestAt = System.nanoTime();
		}
		return board;
	}

	private Board ask() {
		List<CompletableFuture<InstanceView>> asked = this.instances.live().stream().map(this::ask).toList();
		List<InstanceView> views = asked.stream().map(CompletableFuture::join).toList();
		return new Board(this.thisInstance.name(), this.controls, this.controls && this.queues.canBeRead(),
				WaitTimes.BOUNDS, views, this.queues.read(Fleet.of(views)), this.joinCommand);
	}

	private CompletableFuture<InstanceView> ask(Instance instance) {
		if (instance.name().equals(this.thisInstance.name())) {
			return CompletableFuture.completedFuture(this.here.view());
		}
		return this.executor.submitCompletable(() -> this.client.get(instance, "/demo/live/self", InstanceView.class)
			.orElseGet(() -> InstanceView.silent(instance.name(), instance.locking())));
	}

}
