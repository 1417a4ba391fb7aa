package io.interlock.zookeeper.internal.engine;

import java.util.Map;

import io.interlock.rule.ChangedCode;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Switches off each rule of the engine, and lets the simulation find it out. A rule that
 * nothing finds is not needed, or the simulation is too weak.
 */
class EngineRuleTests {

	private static final int SCHEDULES = 50_000;

	@Test
	void textsTellTheRulesApart() {
		assertThat(EngineRule.values()).extracting((rule) -> rule.text)
			.doesNotHaveDuplicates()
			.allMatch((text) -> text.contains(" "));
	}

	@ParameterizedTest
	@EnumSource
	void codeHasWhatSwitchesTheRuleOff(EngineRule rule) {
		assertThatNoException().as("%s: name in EngineRule what does it now", rule.text)
			.isThrownBy(() -> new ChangedCode(Simulation.class, rule.changes));
	}

	@Deep
	@ParameterizedTest
	@EnumSource
	void simulationFindsThatARuleIsOff(EngineRule rule) throws Exception {
		Map<Integer, String> found = new EngineWithoutRule(rule).hunt(SCHEDULES);
		assertThat(found).as(rule.text).isNotEmpty();
		found.forEach((number, violation) -> System.out.printf("| `%s` | %s | %,d | %s |%n", rule.title(), rule.text,
				number, violation.substring(0, violation.indexOf(':'))));
	}

}
