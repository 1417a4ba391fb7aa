package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.ImmediateEventExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClusterRefresh}.
 */
class ClusterRefreshTests {

	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 1);

	private final ClientResources resources = ClientResources.builder()
		.eventExecutorGroup(ImmediateEventExecutor.INSTANCE)
		.build();

	private final Client client = new Client(this.resources);

	private final ClusterRefresh refresh = new ClusterRefresh(() -> this.client, this.time::get);

	@AfterEach
	void close() {
		this.resources.shutdown();
	}

	private void advance(Duration duration) {
		this.time.addAndGet(duration.toNanos());
	}

	@Test
	void asksOnceASecondHoweverManyCommandsFail() {
		for (int second = 1; second <= 3; second++) {
			this.refresh.begin();
			this.client.answer.complete(null);
			this.refresh.begin();
			advance(Duration.ofMillis(999));
			this.refresh.begin();
			assertThat(this.client.asked).isEqualTo(second);
			advance(Duration.ofMillis(1));
		}
	}

	@Test
	void asksNoFurtherTimeWhileNoNodeHasAnswered() {
		this.refresh.begin();
		advance(Duration.ofSeconds(10));
		this.refresh.begin();
		assertThat(this.client.asked).isOne();
		this.client.answer.completeExceptionally(new IllegalStateException("test"));
		this.refresh.begin();
		assertThat(this.client.asked).isEqualTo(2);
	}

	@Test
	void asksAgainAfterTheClientHasRefused() {
		this.client.refuses = true;
		this.refresh.begin();
		this.client.refuses = false;
		advance(Duration.ofSeconds(1));
		this.refresh.begin();
		assertThat(this.client.asked).isOne();
	}

	@Test
	void failsForNobodyWithoutAClient() {
		ClusterRefresh refresh = new ClusterRefresh(() -> {
			throw new IllegalStateException("test: stopped");
		}, this.time::get);
		refresh.begin();
		advance(Duration.ofSeconds(1));
		refresh.begin();
	}

	private static final class Client extends RedisClusterClient {

		private CompletableFuture<Void> answer = new CompletableFuture<>();

		private int asked;

		private boolean refuses;

		private Client(ClientResources resources) {
			super(resources, List.of(RedisURI.create("redis://127.0.0.1")));
		}

		@Override
		public CompletionStage<Void> refreshPartitionsAsync() {
			if (this.refuses) {
				throw new IllegalStateException("test: refused");
			}
			this.asked++;
			this.answer = new CompletableFuture<>();
			return this.answer;
		}

	}

}
