package io.interlock.sample.instance;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The instances over HTTP.
 */
@RestController
@RequestMapping("/instances")
class InstanceController {

	private final Instances instances;

	private final ThisInstance thisInstance;

	InstanceController(Instances instances, ThisInstance thisInstance) {
		this.instances = instances;
		this.thisInstance = thisInstance;
	}

	@GetMapping
	Live live() {
		return new Live(this.thisInstance.name(), this.instances.live());
	}

	/**
	 * The live instances.
	 *
	 * @param answeredBy name of the instance that answers
	 * @param instances all of them, by name
	 */
	record Live(String answeredBy, List<Instance> instances) {

	}

}
