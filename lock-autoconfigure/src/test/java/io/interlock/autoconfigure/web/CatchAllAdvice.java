package io.interlock.autoconfigure.web;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * An advice of an application that handles every exception.
 */
@RestControllerAdvice
class CatchAllAdvice {

	@ExceptionHandler(Exception.class)
	@ResponseStatus(HttpStatus.BAD_GATEWAY)
	String handle() {
		return "any";
	}

}
