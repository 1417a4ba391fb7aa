package io.interlock.sample.settlement;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The latest settlement over HTTP.
 */
@RestController
@RequestMapping("/settlement")
class SettlementController {

	private final Settlements settlements;

	SettlementController(Settlements settlements) {
		this.settlements = settlements;
	}

	@GetMapping
	Settlement latest() {
		return this.settlements.latest();
	}

}
