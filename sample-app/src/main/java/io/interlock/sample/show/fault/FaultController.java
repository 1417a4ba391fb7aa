package io.interlock.sample.show.fault;

import io.interlock.LockId;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockRevoker;
import io.interlock.sample.instance.Instance;
import io.interlock.sample.instance.InstanceClient;
import io.interlock.sample.instance.Instances;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.sample.show.live.Story;
import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
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
@ConditionalOnFaultControls
class FaultController {

	private static final String VISITOR = "a visitor of the sample";

	private final Instances instances;

	private final ThisInstance thisInstance;

	private final InstanceClient client;

	private final SessionEnder sessions;

	private final StalledHolds holds;

	private final ZooKeeperSwitch zooKeeper;

	private final LockAdministrator administrator;

	private final Story story;

	FaultController(Instances instances, ThisInstance thisInstance, InstanceClient client, SessionEnder sessions,
			StalledHolds holds, ZooKeeperSwitch zooKeeper, LockAdministrator administrator, Story story) {
		this.instances = instances;
		this.thisInstance = thisInstance;
		this.client = client;
		this.sessions = sessions;
		this.holds = holds;
		this.zooKeeper = zooKeeper;
		this.administrator = administrator;
		this.story = story;
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
	 * Take a lock away from its holder. An application leaves that to its operators, with
	 * the endpoint of the Actuator.
	 * @param request which lock, and the token of the holder that was seen
	 */
	@PostMapping("/locks/free")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void free(@RequestBody FreeRequest request) {
		LockRevoker.Target released = this.administrator.release(request.id(), request.token(), VISITOR);
		this.story.tell(Story.Kind.CONTROL,
				"%s was freed: the holder with token %d has it no more".formatted(released.id(), released.token()));
	}

	/**
	 * Ask the holder of a lock to give it up, which is up to the holder.
	 * @param request which lock, and the token of the holder that was seen
	 */
	@PostMapping("/locks/ask")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void ask(@RequestBody FreeRequest request) {
		LockRevoker.Target asked = this.administrator.requestRevocation(request.id(), request.token(), null, VISITOR);
		this.story.tell(Story.Kind.CONTROL,
				"The holder of %s with token %d is asked to give it up".formatted(asked.id(), asked.token()));
	}

	/**
	 * Stop the ZooKeeper server inside an instance.
	 * @param request which instance
	 */
	@PostMapping("/zookeeper/stop")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void stopZooKeeper(@RequestBody SessionRequest request) {
		on(request.instance(), "/demo/zookeeper/stop", request, this.zooKeeper::stop);
	}

	/**
	 * Start the ZooKeeper server inside an instance again, with its data.
	 * @param request which instance
	 */
	@PostMapping("/zookeeper/start")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void startZooKeeper(@RequestBody SessionRequest request) {
		on(request.instance(), "/demo/zookeeper/start", request, this.zooKeeper::start);
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
	 * @param name name of the lock
	 * @param key what the name is narrowed to, if at all
	 * @param token fencing token of the holder
	 */
	record FreeRequest(@Nullable String name, @Nullable String key, long token) {

		LockId id() {
			if (!StringUtils.hasText(this.name)) {
				throw new InvalidRequestException("'name' must name a lock");
			}
			return new LockId(this.name, this.key);
		}

	}

}
