package io.interlock.zookeeper.internal.node;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link NodeName}.
 */
class NodeNameTests {

	@ParameterizedTest
	@CsvSource({ "_c_2c5b4e8e-lock-0000000007,EXCLUSIVE,7", "_c_2c5b4e8e-__WRIT__0000000008,EXCLUSIVE,8",
			"_c_2c5b4e8e-__READ__0000000009,SHARED,9", "0d1c51cb__lock__0000000010,EXCLUSIVE,10",
			"0d1c51cb__rlock__0000000011,SHARED,11", "_c_2c5b4e8e-lock-2147483647,EXCLUSIVE,2147483647",
			"_c_2c5b4e8e-lock--2147483648,EXCLUSIVE,-2147483648", "_c_2c5b4e8e-lock--000000005,EXCLUSIVE,-5",
			"lock-0000000007,EXCLUSIVE,7", "lock--000000005,EXCLUSIVE,-5", "my-lock-0000000008,EXCLUSIVE,8",
			"mylock-0000000009,EXCLUSIVE,9", "0000000007,EXCLUSIVE,7", "2147483647,EXCLUSIVE,2147483647",
			"-000000005,EXCLUSIVE,-5", "-2147483648,EXCLUSIVE,-2147483648" })
	void readsWhatRecipesName(String name, LockMode mode, int sequence) {
		assertThat(NodeName.parse(name)).isEqualTo(new NodeName(name, mode, sequence, 1));
	}

	@Test
	void readsPermits() {
		assertThat(NodeName.parse("_c_2c5b4e8e-permit-12-0000000007"))
			.isEqualTo(new NodeName("_c_2c5b4e8e-permit-12-0000000007", LockMode.PERMIT, 7, 12));
		assertThat(NodeName.parse("permit-3--000000005")).extracting(NodeName::sequence, NodeName::permits)
			.containsExactly(-5, 3);
	}

	@Test
	void readsTheMostPermitsThatCanBeAskedFor() {
		String name = "permit-" + LockRequest.semaphore("office", LockRequest.MAX_PERMITS).permits() + "-0000000007";
		assertThat(NodeName.parse(name)).extracting(NodeName::permits).isEqualTo(LockRequest.MAX_PERMITS);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LockRequest.semaphore("office", LockRequest.MAX_PERMITS + 1))
			.withMessageContaining("office");
	}

	@Test
	void permitsExcludeLocksAndNotEachOther() {
		NodeName permit = new NodeName("a", LockMode.PERMIT, 1, 2);
		assertThat(permit.excludes(LockMode.PERMIT)).isFalse();
		assertThat(permit.excludes(LockMode.SHARED)).isTrue();
		assertThat(permit.excludes(LockMode.EXCLUSIVE)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "permit-0000000007", "permit--0000000007", "permit-x-0000000007", "permit-0-0000000007",
			"permit-1234567890-0000000007", "", "lock", "config", "7", "n_0000000007", "guid-0000000007", "00000000001",
			"0000000001 ", "2147483648", "-00000001", "lock-", "lock-7", "lock-a-0000000007", "x-lock-", "x-lock-1",
			"x-lock-00000000001", "x-lock-2147483648", "x-lock--2147483649", "x-lock-99999999999999999999",
			"x-lock-000000000x", "x-lock-0000000001 ", "x__LOCK__0000000001" })
	void ignoresEverythingElse(String name) {
		assertThat(NodeName.parse(name)).isNull();
		assertThat(NodeName.parseAll(List.of(name))).isEmpty();
	}

	/** The grammar of the names as one expression, which is too slow for each name. */
	@Test
	void readsNamesAsTheirGrammarDoes() {
		Pattern grammar = Pattern
			.compile("(^|lock-|__WRIT__|__READ__|__lock__|__rlock__|permit-([1-9]\\d{0,8})-)(\\d{10}|-\\d{9,10})$");
		List<String> pieces = List.of("lock-", "__WRIT__", "__READ__", "__lock__", "__rlock__", "permit-", "permit",
				"-", "_c_", "0", "1", "12", "123456789", "000000000", "0000000001", "2147483647", "2147483648", "x",
				"_", "\u0661");
		Random random = new Random(42);
		int parsed = 0;
		for (int i = 0; i < 200_000; i++) {
			StringBuilder text = new StringBuilder();
			for (int length = random.nextInt(5); length >= 0; length--) {
				text.append(pieces.get(random.nextInt(pieces.size())));
			}
			String name = text.toString();
			Matcher matcher = grammar.matcher(name);
			NodeName expected = null;
			if (matcher.find() && (int) Long.parseLong(matcher.group(3)) == Long.parseLong(matcher.group(3))) {
				LockMode mode = (matcher.group(2) != null) ? LockMode.PERMIT
						: List.of("__READ__", "__rlock__").contains(matcher.group(1)) ? LockMode.SHARED
								: LockMode.EXCLUSIVE;
				expected = new NodeName(name, mode, Integer.parseInt(matcher.group(3)),
						(matcher.group(2) != null) ? Integer.parseInt(matcher.group(2)) : 1);
				assertThat(expected.marker()).isEqualTo(matcher.group(1));
				parsed++;
			}
			assertThat(NodeName.parse(name)).as(name).isEqualTo(expected);
		}
		assertThat(parsed).isGreaterThan(1000);
	}

	@ParameterizedTest
	@ValueSource(strings = { "_c_2c5b4e8e-lock-0000000007", "lock-0000000007", "mylock-0000000007",
			"lock-lock-0000000007", "n_lock-0000000007", "0000000007" })
	void isBeforeUsWhereCuratorSortsItBeforeUs(String name) {
		assertThat(StandardLockInternalsDriver.standardFixForSorting(name, "lock-")).isLessThan("0000000008");
		NodeName before = NodeName.parse(name);
		assertThat(before).isNotNull();
		assertThat(before.excludes(LockMode.SHARED)).isTrue();
		assertThat(NodeName.BY_SEQUENCE.compare(before, new NodeName("x-lock-0000000008", LockMode.EXCLUSIVE, 8, 1)))
			.isNegative();
	}

	@ParameterizedTest
	@CsvSource({ "0000000000,true", "2146435071,true", "2146435072,false", "2147483647,false", "-2147483648,false",
			"-000000001,false" })
	void trustsSequenceNumbersUntilNearTheirEnd(String sequence, boolean trusted) {
		NodeName contender = NodeName.parse("x-lock-" + sequence);
		assertThat(contender).isNotNull();
		assertThat(contender.isOrderedBySequence()).isEqualTo(trusted);
	}

	@Test
	void onlySharedContendersDoNotExcludeEachOther() {
		NodeName shared = new NodeName("a", LockMode.SHARED, 1, 1);
		NodeName exclusive = new NodeName("b", LockMode.EXCLUSIVE, 2, 1);
		assertThat(shared.excludes(LockMode.SHARED)).isFalse();
		assertThat(shared.excludes(LockMode.EXCLUSIVE)).isTrue();
		assertThat(exclusive.excludes(LockMode.SHARED)).isTrue();
		assertThat(exclusive.excludes(LockMode.EXCLUSIVE)).isTrue();
	}

	@Test
	void sequenceNumbersOrderWithoutAnyRequest() {
		List<NodeName> contenders = parse("c-lock-0000000003", "a-lock-0000000020", "b-__READ__0000000001");
		assertThat(NodeName.areOrderedBySequence(contenders)).isTrue();
		assertThat(NodeName.inOrder(contenders, Map.of())).extracting(NodeName::name)
			.containsExactly("b-__READ__0000000001", "c-lock-0000000003", "a-lock-0000000020");
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.SEQUENCE_NUMBERS_REPEAT)
	void repeatedNumbersAreOrderedByCreation() {
		assertThat(inOrder(Map.of("b-lock-2147483647", 1L, "a-lock-2147483647", 2L), "a-lock-2147483647",
				"b-lock-2147483647"))
			.containsExactly("b-lock-2147483647", "a-lock-2147483647");
	}

	@Test
	void negativeNumbersAreOrderedByCreation() {
		assertThat(inOrder(Map.of("a-lock-2147483647", 7L, "b-lock--2147483648", 8L, "c-lock--2147483647", 9L),
				"c-lock--2147483647", "b-lock--2147483648", "a-lock-2147483647"))
			.containsExactly("a-lock-2147483647", "b-lock--2147483648", "c-lock--2147483647");
	}

	@Test
	void oneUntrustedNumberSpoilsAll() {
		assertThat(inOrder(Map.of("a-lock-0000000001", 9L, "b-lock--000000001", 8L), "a-lock-0000000001",
				"b-lock--000000001"))
			.containsExactly("b-lock--000000001", "a-lock-0000000001");
	}

	@Test
	void contendersThatLeftMeanwhileAreLeftOut() {
		assertThat(inOrder(Map.of("b-lock-2147483647", 8L), "a-lock-2147483647", "b-lock-2147483647"))
			.containsExactly("b-lock-2147483647");
	}

	private static List<String> inOrder(Map<String, Long> created, String... names) {
		List<NodeName> contenders = parse(names);
		assertThat(NodeName.areOrderedBySequence(contenders)).isFalse();
		return NodeName.inOrder(contenders, created).stream().map(NodeName::name).toList();
	}

	private static List<NodeName> parse(String... names) {
		return NodeName.parseAll(List.of(names));
	}

}
