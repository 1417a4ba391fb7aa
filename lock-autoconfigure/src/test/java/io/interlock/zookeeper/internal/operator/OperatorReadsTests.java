package io.interlock.zookeeper.internal.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link OperatorReads}.
 */
class OperatorReadsTests {

	private final OperatorReads reads = new OperatorReads();

	private final List<Integer> sent = new ArrayList<>();

	@Test
	void allCallsOfAClientShareTheReads() {
		for (int i = 0; i < 3 * OperatorReads.IN_FLIGHT; i++) {
			send(i);
		}
		assertThat(this.sent).hasSize(OperatorReads.IN_FLIGHT);
		this.reads.answered();
		assertThat(this.sent).hasSize(OperatorReads.IN_FLIGHT + 1);
	}

	@Test
	void readsOfACallThatHasGivenUpAreNotSent() {
		AtomicInteger asked = new AtomicInteger();
		for (int i = 0; i < OperatorReads.IN_FLIGHT; i++) {
			send(i);
		}
		for (int i = 0; i < 1000; i++) {
			this.reads.send(() -> {
				asked.incrementAndGet();
				return false;
			});
		}
		send(4711);
		this.reads.answered();
		assertThat(asked).hasValue(1000);
		assertThat(this.sent).hasSize(OperatorReads.IN_FLIGHT + 1).endsWith(4711);
	}

	@Test
	void noMoreThanTwoCallsReadAtOnce() {
		assertThat(this.reads.tryBegin()).isTrue();
		assertThat(this.reads.tryBegin()).isTrue();
		assertThat(this.reads.tryBegin()).isFalse();
		this.reads.end();
		assertThat(this.reads.tryBegin()).isTrue();
	}

	@Test
	void clientsHaveTheirOwn() {
		CuratorFramework client = mock(CuratorFramework.class);
		assertThat(OperatorReads.of(client)).isSameAs(OperatorReads.of(client))
			.isNotSameAs(OperatorReads.of(mock(CuratorFramework.class)));
	}

	private void send(int number) {
		this.reads.send(() -> this.sent.add(number));
	}

}
