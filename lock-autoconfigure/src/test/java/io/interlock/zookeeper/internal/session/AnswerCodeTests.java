package io.interlock.zookeeper.internal.session;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AnswerCode}.
 */
class AnswerCodeTests {

	@ParameterizedTest
	@EnumSource
	void numberIsTheOneOfTheCode(Code code) {
		assertThat(AnswerCode.of(code.intValue())).isEqualTo(code);
	}

	@Test
	void numberOfANewerServerIsAnErrorOfTheServer() {
		assertThat(AnswerCode.of(-999)).isEqualTo(Code.SYSTEMERROR);
	}

}
