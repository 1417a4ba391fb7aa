package io.interlock.actuate.endpoint;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of the reason why there is no other answer.
 *
 * @param error what kind of reason
 * @param message the reason, and what to do
 * @since 0.1.0
 */
public record LocksErrorDescriptor(String error, String message) implements OperationResponseBody {

}
