package io.interlock.sample.show.fault;

import io.interlock.sample.instance.InstanceClient;
import io.interlock.sample.instance.Instances;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/**
 * Does something on the instance that a request names: here, or by sending the request
 * there.
 */
@Component
@ConditionalOnBooleanProperty("sample.controls")
class NamedInstance {

	private final Instances instances;

	private final ThisInstance thisInstance;

	private final InstanceClient client;

	NamedInstance(Instances instances, ThisInstance thisInstance, InstanceClient client) {
		this.instances = instances;
		this.thisInstance = thisInstance;
		this.client = client;
	}

	void run(@Nullable String name, String path, Object request, Runnable action) {
		if (name == null) {
			throw new InvalidRequestException("'instance' must name an instance");
		}
		if (name.equals(this.thisInstance.name())) {
			action.run();
			return;
		}
		this.client.post(this.instances.get(name), path, request);
	}

}
