package io.interlock.curator;

import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ExistsBuilder;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ContenderOrder}.
 */
class ContenderOrderTests {

	private final CuratorFramework client = mock(CuratorFramework.class);

	@Test
	void sequenceNumbersOrderWithoutAnyRequest() throws Exception {
		List<Contender> ordered = order("c-lock-0000000003", "a-lock-0000000020", "b-__READ__0000000001");
		assertThat(ordered).extracting(Contender::name)
			.containsExactly("b-__READ__0000000001", "c-lock-0000000003", "a-lock-0000000020");
		then(this.client).shouldHaveNoInteractions();
	}

	@Test
	void repeatedNumbersAreOrderedByCreation() throws Exception {
		created(Map.of("b-lock-2147483647", 1L, "a-lock-2147483647", 2L));
		assertThat(order("a-lock-2147483647", "b-lock-2147483647")).extracting(Contender::name)
			.containsExactly("b-lock-2147483647", "a-lock-2147483647");
	}

	@Test
	void negativeNumbersAreOrderedByCreation() throws Exception {
		created(Map.of("a-lock-2147483647", 7L, "b-lock--2147483648", 8L, "c-lock--2147483647", 9L));
		assertThat(order("c-lock--2147483647", "b-lock--2147483648", "a-lock-2147483647")).extracting(Contender::name)
			.containsExactly("a-lock-2147483647", "b-lock--2147483648", "c-lock--2147483647");
	}

	@Test
	void oneUntrustedNumberSpoilsAll() throws Exception {
		created(Map.of("a-lock-0000000001", 9L, "b-lock--000000001", 8L));
		assertThat(order("a-lock-0000000001", "b-lock--000000001")).extracting(Contender::name)
			.containsExactly("b-lock--000000001", "a-lock-0000000001");
	}

	@Test
	void contendersThatLeftMeanwhileAreLeftOut() throws Exception {
		created(Map.of("b-lock-2147483647", 8L));
		assertThat(order("a-lock-2147483647", "b-lock-2147483647")).extracting(Contender::name)
			.containsExactly("b-lock-2147483647");
	}

	private List<Contender> order(String... names) throws Exception {
		return ContenderOrder.order(Contender.parseAll(List.of(names)), this.client, "/locks/a");
	}

	private void created(Map<String, Long> czxids) throws Exception {
		ExistsBuilder exists = mock(ExistsBuilder.class);
		given(this.client.checkExists()).willReturn(exists);
		given(exists.forPath(anyString())).willAnswer((call) -> {
			String path = call.getArgument(0);
			assertThat(path).startsWith("/locks/a/");
			Long czxid = czxids.get(path.substring("/locks/a/".length()));
			if (czxid == null) {
				return null;
			}
			Stat stat = new Stat();
			stat.setCzxid(czxid);
			return stat;
		});
	}

}
