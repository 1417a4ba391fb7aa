package io.interlock.sample.show.fault;

import io.interlock.LockId;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockRevoker;
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

	private final NamedInstance instance;

	private final StalledHolds holds;

	private final LockAdministrator administrator;

	private final Story story;

	FaultController(NamedInstance instance, StalledHolds holds, LockAdministrator administrator, Story story) {
		this.instance = instance;
		this.holds = holds;
		this.administrator = administrator;
		this.story = story;
	}

	/**
	 * Let a thread of an instance hold a lock and do nothing.
	 * @param request which instance, which lock and for how long
	 */
	@PostMapping("/holds")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void hold(@RequestBody HoldRequest request) {
		this.instance.run(request.instance(), "/demo/holds", request, () -> this.holds.begin(request));
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
	 * Ask the holder of a lock to give it up, which is up to the holder. Any instance can
	 * ask; through its own one, a holder in a database or Redis learns of it at once.
	 * @param request which lock, the token of the holder that was seen, and its instance
	 */
	@PostMapping("/locks/ask")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void ask(@RequestBody FreeRequest request) {
		if (request.instance() == null) {
			askHere(request);
		}
		else {
			this.instance.run(request.instance(), "/demo/locks/ask", request, () -> askHere(request));
		}
	}

	private void askHere(FreeRequest request) {
		LockRevoker.Target asked = this.administrator.requestRevocation(request.id(), request.token(), null, VISITOR);
		this.story.tell(Story.Kind.CONTROL,
				"The holder of %s with token %d is asked to give it up".formatted(asked.id(), asked.token()));
	}

	/**
	 * Names a holder.
	 *
	 * @param name name of the lock
	 * @param key what the name is narrowed to, if at all
	 * @param token fencing token of the holder
	 * @param instance its instance, if it is one of the box office
	 */
	record FreeRequest(@Nullable String name, @Nullable String key, long token, @Nullable String instance) {

		LockId id() {
			if (!StringUtils.hasText(this.name)) {
				throw new InvalidRequestException("'name' must name a lock");
			}
			return new LockId(this.name, this.key);
		}

	}

}
