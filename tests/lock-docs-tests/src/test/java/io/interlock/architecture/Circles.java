package io.interlock.architecture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The circles of a graph: nodes that reach each other, which are its strongly connected
 * components of more than one node.
 */
final class Circles {

	private Circles() {
	}

	/**
	 * Return the circles, none of which shares a node with another one.
	 * @param arrows where the arrows from each node point to
	 */
	static List<Set<String>> in(Map<String, Set<String>> arrows) {
		Map<String, Set<String>> reached = arrows.keySet()
			.stream()
			.collect(Collectors.toMap((node) -> node, (node) -> reachedFrom(node, arrows)));
		return arrows.keySet()
			.stream()
			.sorted()
			.map((node) -> circleOf(node, reached))
			.filter((circle) -> circle.size() > 1)
			.distinct()
			.toList();
	}

	private static Set<String> reachedFrom(String start, Map<String, Set<String>> arrows) {
		Set<String> reached = new TreeSet<>();
		Deque<String> next = new ArrayDeque<>(arrows.get(start));
		while (!next.isEmpty()) {
			String node = next.pop();
			if (reached.add(node)) {
				next.addAll(arrows.getOrDefault(node, Set.of()));
			}
		}
		return reached;
	}

	private static Set<String> circleOf(String node, Map<String, Set<String>> reached) {
		return reached.get(node)
			.stream()
			.filter((other) -> reached.getOrDefault(other, Set.of()).contains(node))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
