package io.interlock.sample.show.fault;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Breaks what ZooKeeper alone has, over HTTP, on the instance that the request names. It
 * takes JSON only, as the other controls do.
 */
@RestController
@RequestMapping(path = "/demo", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnZooKeeperControls
class ZooKeeperController {

	private final NamedInstance instance;

	private final SessionEnder sessions;

	private final ZooKeeperSwitch zooKeeper;

	ZooKeeperController(NamedInstance instance, SessionEnder sessions, ZooKeeperSwitch zooKeeper) {
		this.instance = instance;
		this.sessions = sessions;
		this.zooKeeper = zooKeeper;
	}

	/**
	 * End the ZooKeeper session of an instance, and with it all its locks.
	 * @param request which instance
	 */
	@PostMapping("/sessions/end")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void endSession(@RequestBody SessionRequest request) {
		this.instance.run(request.instance(), "/demo/sessions/end", request, this.sessions::end);
	}

	/**
	 * Stop the ZooKeeper server inside an instance.
	 * @param request which instance
	 */
	@PostMapping("/zookeeper/stop")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void stop(@RequestBody SessionRequest request) {
		this.instance.run(request.instance(), "/demo/zookeeper/stop", request, this.zooKeeper::stop);
	}

	/**
	 * Start the ZooKeeper server inside an instance again, with its data.
	 * @param request which instance
	 */
	@PostMapping("/zookeeper/start")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void start(@RequestBody SessionRequest request) {
		this.instance.run(request.instance(), "/demo/zookeeper/start", request, this.zooKeeper::start);
	}

	/**
	 * Names an instance.
	 *
	 * @param instance its name
	 */
	record SessionRequest(@Nullable String instance) {

	}

}
