package io.interlock.sample.show.rush;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The rush over HTTP, which takes back what was sold. Like the other controls it takes
 * JSON only, which no page of another origin can send without being asked.
 */
@RestController
@RequestMapping(path = "/demo/rush", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnBooleanProperty("sample.controls")
class RushController {

	private final Rush rush;

	private final Crowd crowd;

	RushController(Rush rush, Crowd crowd) {
		this.rush = rush;
		this.crowd = crowd;
	}

	/**
	 * Take back all tickets of an event, and sell them to buyers on all instances.
	 * @param request which event, and how many buyers
	 * @return how it went
	 */
	@PostMapping
	RushResult rush(@RequestBody RushRequest request) {
		return this.rush.start(request.event(), request.numberOfBuyers(), request.paymentTime());
	}

	/**
	 * Serve the buyers that a rush on another instance has sent here.
	 * @param request which event, and how many buyers
	 * @return what they got
	 */
	@PostMapping("/share")
	Share share(@RequestBody RushRequest request) {
		return this.crowd.buy(request.event(), request.numberOfBuyers(), request.paymentTime());
	}

}
