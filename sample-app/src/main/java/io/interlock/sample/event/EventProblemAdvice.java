package io.interlock.sample.event;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Tells clients what is wrong with a request for an event.
 */
@RestControllerAdvice
class EventProblemAdvice {

	@ExceptionHandler
	ProblemDetail notFound(EventNotFoundException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, ex.getMessage());
		problem.setTitle("No such event");
		return problem;
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, ex.getMessage());
		problem.setTitle("Sold out");
		return problem;
	}

}
