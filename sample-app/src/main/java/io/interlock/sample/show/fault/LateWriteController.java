package io.interlock.sample.show.fault;

import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The late write over HTTP. Like the other controls it takes JSON only, which no page of
 * another origin can send without being asked.
 */
@RestController
@RequestMapping(path = "/demo/late-write", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnFaultControls
class LateWriteController {

	private final LateWrite lateWrite;

	LateWriteController(LateWrite lateWrite) {
		this.lateWrite = lateWrite;
	}

	/**
	 * Let a write come too late.
	 * @param request empty: there is nothing to choose
	 * @return what happened with each fence, step by step
	 */
	@PostMapping
	List<LateWriteResult> write(@RequestBody LateWriteRequest request) {
		return this.lateWrite.run();
	}

	/**
	 * Asks for a late write.
	 */
	record LateWriteRequest() {

	}

}
