package io.interlock.benchmark.start;

import io.interlock.annotation.DistributedLock;

import org.springframework.stereotype.Component;

/**
 * A bean with a method that takes a lock if the starter is there. An annotation whose
 * type is missing at run time counts as absent.
 */
@Component
class Orders {

	private int placed;

	@DistributedLock(name = "start", key = "#number", waitTime = "30s")
	int place(String number) {
		return ++this.placed;
	}

}
