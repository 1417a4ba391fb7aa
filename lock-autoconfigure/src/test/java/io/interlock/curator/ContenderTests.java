package io.interlock.curator;

import java.util.List;

import io.interlock.LockMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Contender}.
 */
class ContenderTests {

	@ParameterizedTest
	@CsvSource({ "_c_2c5b4e8e-lock-0000000007,EXCLUSIVE,7", "_c_2c5b4e8e-__WRIT__0000000008,EXCLUSIVE,8",
			"_c_2c5b4e8e-__READ__0000000009,SHARED,9", "0d1c51cb__lock__0000000010,EXCLUSIVE,10",
			"0d1c51cb__rlock__0000000011,SHARED,11", "_c_2c5b4e8e-lock-2147483647,EXCLUSIVE,2147483647",
			"_c_2c5b4e8e-lock--2147483648,EXCLUSIVE,-2147483648", "_c_2c5b4e8e-lock--000000005,EXCLUSIVE,-5" })
	void readsWhatRecipesName(String name, LockMode mode, int sequence) {
		assertThat(Contender.parse(name)).isEqualTo(new Contender(name, mode, sequence));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "lock", "config", "0000000001", "x-lock-", "x-lock-1", "x-lock-00000000001",
			"x-lock-2147483648", "x-lock--2147483649", "x-lock-99999999999999999999", "x-lock-000000000x",
			"x-lock-0000000001 ", "x__LOCK__0000000001" })
	void ignoresEverythingElse(String name) {
		assertThat(Contender.parse(name)).isNull();
		assertThat(Contender.parseAll(List.of(name))).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "0000000000,true", "2146435071,true", "2146435072,false", "2147483647,false", "-2147483648,false",
			"-000000001,false" })
	void trustsSequenceNumbersUntilNearTheirEnd(String sequence, boolean trusted) {
		Contender contender = Contender.parse("x-lock-" + sequence);
		assertThat(contender).isNotNull();
		assertThat(contender.isOrderedBySequence()).isEqualTo(trusted);
	}

	@Test
	void onlySharedContendersDoNotExcludeEachOther() {
		Contender shared = new Contender("a", LockMode.SHARED, 1);
		Contender exclusive = new Contender("b", LockMode.EXCLUSIVE, 2);
		assertThat(shared.excludes(LockMode.SHARED)).isFalse();
		assertThat(shared.excludes(LockMode.EXCLUSIVE)).isTrue();
		assertThat(exclusive.excludes(LockMode.SHARED)).isTrue();
		assertThat(exclusive.excludes(LockMode.EXCLUSIVE)).isTrue();
	}

}
