package io.interlock.sample.show.rush;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The comparison over HTTP. Like the other controls it takes JSON only, which no page of
 * another origin can send without being asked.
 */
@RestController
@RequestMapping(path = "/demo/comparison", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnBooleanProperty("sample.controls")
class ComparisonController {

	private final Comparison comparison;

	ComparisonController(Comparison comparison) {
		this.comparison = comparison;
	}

	/**
	 * Sell the same house without a lock and with it.
	 * @param request empty: there is nothing to choose
	 * @return how it went on both sides
	 */
	@PostMapping
	ComparisonResult compare(@RequestBody ComparisonRequest request) {
		return this.comparison.run();
	}

	/**
	 * Asks for a comparison.
	 */
	record ComparisonRequest() {

	}

}
