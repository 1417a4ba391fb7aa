package io.interlock.curator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;

/**
 * The order in which contenders came. Sequence numbers say it for free; near their end,
 * where they repeat and turn negative, the transactions that created the nodes say it, at
 * the price of one read for each contender.
 */
final class ContenderOrder {

	static final Comparator<Contender> BY_SEQUENCE = Comparator.comparingInt(Contender::sequence)
		.thenComparing(Contender::name);

	private ContenderOrder() {
	}

	static List<Contender> order(List<Contender> contenders, CuratorFramework client, String parent) throws Exception {
		if (contenders.stream().allMatch(Contender::isOrderedBySequence)) {
			return contenders.stream().sorted(BY_SEQUENCE).toList();
		}
		Map<Contender, Long> created = new HashMap<>();
		for (Contender contender : contenders) {
			Stat stat = client.checkExists().forPath(parent + "/" + contender.name());
			if (stat != null) {
				created.put(contender, stat.getCzxid());
			}
		}
		List<Contender> ordered = new ArrayList<>(created.keySet());
		ordered.sort(Comparator.comparing(created::get));
		return ordered;
	}

}
