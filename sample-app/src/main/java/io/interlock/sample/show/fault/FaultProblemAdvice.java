package io.interlock.sample.show.fault;

import io.interlock.admin.LockInspectionException;
import io.interlock.admin.StaleTokenException;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;

/**
 * Tells visitors why nothing was broken.
 */
@RestControllerAdvice(assignableTypes = { FaultController.class, LateWriteController.class, ZooKeeperController.class })
class FaultProblemAdvice {

	@ExceptionHandler
	ProblemDetail gone(StaleTokenException ex) {
		return problem(HttpStatus.CONFLICT, "Holder gone", "This holder has let go already. Nothing was freed.");
	}

	@ExceptionHandler
	ProblemDetail unreadable(LockInspectionException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks are not available", String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail unsupported(UnsupportedOperationException ex) {
		return problem(HttpStatus.NOT_IMPLEMENTED, "Not possible here", String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail refused(RestClientResponseException ex) {
		ProblemDetail problem = ex.getResponseBodyAs(ProblemDetail.class);
		return (problem != null) ? problem
				: problem(ex.getStatusCode(), "Refused", "The other instance refused to do it.");
	}

	@ExceptionHandler
	ProblemDetail silent(ResourceAccessException ex) {
		return problem(HttpStatus.BAD_GATEWAY, "No answer", "The other instance does not answer.");
	}

	private static ProblemDetail problem(HttpStatusCode status, String title, String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		return problem;
	}

}
