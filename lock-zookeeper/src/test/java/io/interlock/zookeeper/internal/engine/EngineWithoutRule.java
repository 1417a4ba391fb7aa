package io.interlock.zookeeper.internal.engine;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import io.interlock.rule.ChangedCode;

/**
 * The engine and its simulation with one rule switched off.
 */
final class EngineWithoutRule {

	private final EngineRule rule;

	EngineWithoutRule(EngineRule rule) {
		this.rule = rule;
	}

	/**
	 * Run schedules until one violates a promise.
	 * @param schedules how many at the most
	 * @return number of the schedules that it took and what was violated; empty if
	 * nothing was
	 */
	Map<Integer, String> hunt(int schedules) throws ReflectiveOperationException {
		Method method = new ChangedCode(Simulation.class, this.rule.changes).loadClass(Simulation.class.getName())
			.getDeclaredMethod("hunt", int.class, List.class, boolean.class, int.class);
		method.setAccessible(true);
		@SuppressWarnings("unchecked")
		Map<Integer, String> found = (Map<Integer, String>) method.invoke(null, schedules,
				this.rule.focus.stream().map(Enum::name).toList(), this.rule.wide, this.rule.allowed());
		return found;
	}

}
