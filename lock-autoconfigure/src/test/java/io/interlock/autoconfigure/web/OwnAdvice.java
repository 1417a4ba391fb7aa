package io.interlock.autoconfigure.web;

import io.interlock.LockException;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * An advice of an application that says nothing about its order.
 */
@RestControllerAdvice
class OwnAdvice {

	@ExceptionHandler(LockException.class)
	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	String handle() {
		return "mine";
	}

}
