package io.interlock.sample.event;

import java.util.List;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The events over HTTP.
 */
@RestController
@RequestMapping("/events")
class EventController {

	private final Events events;

	private final BoxOffice boxOffice;

	EventController(Events events, BoxOffice boxOffice) {
		this.events = events;
		this.boxOffice = boxOffice;
	}

	@GetMapping
	List<Event> events() {
		return this.events.findListed();
	}

	@GetMapping("/{eventId}")
	Event event(@PathVariable long eventId) {
		return this.events.get(eventId);
	}

	@PostMapping("/{eventId}/sales")
	@ResponseStatus(HttpStatus.CREATED)
	Ticket sell(@PathVariable long eventId, @RequestBody SaleRequest request) {
		return this.boxOffice.sell(eventId, request.validBuyer());
	}

	@GetMapping("/{eventId}/seats")
	List<SoldSeat> soldSeats(@PathVariable long eventId) {
		return this.events.soldSeats(this.events.get(eventId).id());
	}

	@GetMapping("/{eventId}/report")
	Report report(@PathVariable long eventId) {
		return this.boxOffice.report(eventId);
	}

	@PutMapping("/{eventId}/price")
	Event changePrice(@PathVariable long eventId, @RequestBody PriceRequest request) {
		return this.boxOffice.changePrice(eventId, request.validPrice());
	}

}
