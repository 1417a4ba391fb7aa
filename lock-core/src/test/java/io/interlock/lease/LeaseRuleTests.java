package io.interlock.lease;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import io.interlock.rule.ChangedCode;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Switches off each rule of the lease engine, and lets the simulation find it out. A rule
 * that nothing finds is not needed, or the simulation is too weak.
 */
class LeaseRuleTests {

	private static final int SCHEDULES = 50_000;

	@Test
	void textsTellTheRulesApart() {
		assertThat(LeaseRule.values()).extracting((rule) -> rule.text)
			.doesNotHaveDuplicates()
			.allMatch((text) -> text.contains(" "));
	}

	@ParameterizedTest
	@EnumSource
	void codeHasWhatSwitchesTheRuleOff(LeaseRule rule) {
		assertThatNoException().as("%s: name in LeaseRule what does it now", rule.text)
			.isThrownBy(() -> new ChangedCode(LeaseSimulation.class, rule.changes));
	}

	@Deep
	@ParameterizedTest
	@EnumSource
	void simulationFindsThatARuleIsOff(LeaseRule rule) throws ReflectiveOperationException {
		Map<Integer, String> found = hunt(rule, SCHEDULES);
		assertThat(found).as(rule.text).isNotEmpty();
		found.forEach((number, violation) -> System.out.printf("| `%s` | %s | %,d | %s |%n", rule.title(), rule.text,
				number, violation.replaceFirst(":.*", "")));
	}

	static Map<Integer, String> hunt(LeaseRule rule, int schedules) throws ReflectiveOperationException {
		Method method = new ChangedCode(LeaseSimulation.class, rule.changes).loadClass(LeaseSimulation.class.getName())
			.getDeclaredMethod("hunt", int.class, List.class);
		method.setAccessible(true);
		@SuppressWarnings("unchecked")
		Map<Integer, String> found = (Map<Integer, String>) method.invoke(null, schedules,
				rule.focus.stream().map(Enum::name).toList());
		return found;
	}

}
