package io.interlock.zookeeper.internal.session;

import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

/**
 * Tests for the clock of the servers, as {@link ClientHandle} knows it.
 */
class ClientHandleTests {

	private static final long TIME = 1_700_000_000_000L;

	private static final long HUNDRED_SECONDS = TimeUnit.SECONDS.toNanos(100);

	private static final long SENT_BEFORE = TimeUnit.SECONDS.toNanos(1);

	private final CuratorFramework client = mock(CuratorFramework.class, RETURNS_DEEP_STUBS);

	private final ClientHandle handle = new ClientHandle(this.client);

	@Test
	void nothingIsKnownOfAClockThatWasNotRead() {
		assertThat(this.handle.serverTimeReached(System.nanoTime())).isZero();
		assertThat(this.handle.serverTimeAhead(System.nanoTime())).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void clockMayGoSlowerOrFasterByAThousandth() {
		long before = read();
		long later = System.nanoTime() + HUNDRED_SECONDS;
		assertThat(this.handle.serverTimeReached(later)).isBetween(TIME + 99_900,
				TIME + TimeUnit.NANOSECONDS.toMillis((later - before) / 1000 * 999));
		assertThat(this.handle.serverTimeAhead(later))
			.isGreaterThan(TIME + TimeUnit.NANOSECONDS.toMillis((later - before + SENT_BEFORE) / 1000 * 1001));
	}

	@Test
	void clockThatWasReadLongAgoMayBeAnyTimeAhead() {
		read();
		long later = System.nanoTime() + TimeUnit.MINUTES.toNanos(10);
		assertThat(this.handle.serverTimeAhead(later)).isEqualTo(Long.MAX_VALUE);
		assertThat(this.handle.serverTimeReached(later)).isGreaterThan(TIME);
	}

	@Test
	void clockThatWasReadInAnEarlierSessionMayBeAnyTimeAhead() {
		read();
		given(this.client.getZookeeperClient().getInstanceIndex()).willReturn(2L);
		assertThat(this.handle.serverTimeAhead(System.nanoTime())).isEqualTo(Long.MAX_VALUE);
	}

	private long read() {
		Stat stat = new Stat();
		stat.setCtime(TIME);
		long before = System.nanoTime();
		this.handle.clockRead(stat, before - SENT_BEFORE);
		return before;
	}

	@ParameterizedTest
	@EnumSource
	void numberIsTheOneOfTheCode(Code code) {
		assertThat(ClientHandle.code(code.intValue())).isEqualTo(code);
	}

	@Test
	void numberOfANewerServerIsAnErrorOfTheServer() {
		assertThat(ClientHandle.code(-999)).isEqualTo(Code.SYSTEMERROR);
	}

}
