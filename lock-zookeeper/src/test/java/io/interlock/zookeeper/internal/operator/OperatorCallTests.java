package io.interlock.zookeeper.internal.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link OperatorCall.Reads}.
 */
class OperatorCallTests {

	private final OperatorCall.Reads reads = new OperatorCall.Reads();

	private final List<Integer> sent = new ArrayList<>();

	@Test
	void allCallsOfAClientShareTheReads() {
		for (int i = 0; i < 3 * OperatorCall.Reads.IN_FLIGHT; i++) {
			send(i);
		}
		assertThat(this.sent).hasSize(OperatorCall.Reads.IN_FLIGHT);
		this.reads.answered();
		assertThat(this.sent).hasSize(OperatorCall.Reads.IN_FLIGHT + 1);
	}

	@Test
	void readsOfACallThatHasGivenUpAreNotSent() {
		AtomicInteger asked = new AtomicInteger();
		for (int i = 0; i < OperatorCall.Reads.IN_FLIGHT; i++) {
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
		assertThat(this.sent).hasSize(OperatorCall.Reads.IN_FLIGHT + 1).endsWith(4711);
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
		assertThat(OperatorCall.Reads.of(client)).isSameAs(OperatorCall.Reads.of(client))
			.isNotSameAs(OperatorCall.Reads.of(mock(CuratorFramework.class)));
	}

	private void send(int number) {
		this.reads.send(() -> this.sent.add(number));
	}

}
