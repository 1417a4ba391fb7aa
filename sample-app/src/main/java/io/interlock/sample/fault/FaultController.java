package io.interlock.sample.fault;

import io.interlock.sample.instance.Instance;
import io.interlock.sample.instance.InstanceClient;
import io.interlock.sample.instance.Instances;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Breaks things over HTTP, on the instance that the request names. It takes JSON only,
 * which no page of another origin can send without being asked.
 */
@RestController
@RequestMapping(path = "/demo", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnBooleanProperty("sample.controls")
class FaultController {

	private final Instances instances;

	private final ThisInstance thisInstance;

	private final InstanceClient client;

	private final SessionEnder sessions;

	private final StalledHolds holds;

	private final LockRemover locks;

	FaultController(Instances instances, ThisInstance thisInstance, InstanceClient client, SessionEnder sessions,
			StalledHolds holds, LockRemover locks) {
		this.instances = instances;
		this.thisInstance = thisInstance;
		this.client = client;
		this.sessions = sessions;
		this.holds = holds;
		this.locks = locks;
	}

	/**
	 * End the ZooKeeper session of an instance, and with it all its locks.
	 * @param request which instance
	 */
	@PostMapping("/sessions/end")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void endSession(@RequestBody SessionRequest request) {
		on(request.instance(), "/demo/sessions/end", request, this.sessions::end);
	}

	/**
	 * Let a thread of an instance hold a lock and do nothing.
	 * @param request which instance, which lock and for how long
	 */
	@PostMapping("/holds")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void hold(@RequestBody HoldRequest request) {
		on(request.instance(), "/demo/holds", request, () -> this.holds.begin(request));
	}

	/**
	 * Take a lock away from its holder.
	 * @param request the token of the holder that was seen
	 */
	@PostMapping("/locks/free")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void free(@RequestBody FreeRequest request) {
		if (!this.locks.remove(request.token())) {
			throw new HolderGoneException(request.token());
		}
	}

	private void on(@Nullable String name, String path, Object request, Runnable action) {
		if (name == null) {
			throw new InvalidRequestException("'instance' must name an instance");
		}
		if (name.equals(this.thisInstance.name())) {
			action.run();
			return;
		}
		Instance instance = this.instances.get(name);
		this.client.post(instance, path, request);
	}

	/**
	 * Names an instance.
	 *
	 * @param instance its name
	 */
	record SessionRequest(@Nullable String instance) {

	}

	/**
	 * Names a holder.
	 *
	 * @param token its fencing token
	 */
	record FreeRequest(long token) {

	}

}
