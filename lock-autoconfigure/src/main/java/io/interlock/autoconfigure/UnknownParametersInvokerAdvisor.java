package io.interlock.autoconfigure;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.interlock.internal.NearestName;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension.ErrorDescriptor;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses what would change a lock and has a parameter that does not exist. Actuator
 * ignores such a parameter, so a misspelled {@code key} would hold the lock without one.
 */
final class UnknownParametersInvokerAdvisor implements OperationInvokerAdvisor {

	private static final EndpointId LOCKS = EndpointId.of("locks");

	/** Spring Security reads them, in the query too. */
	private static final Set<String> OF_SECURITY = Set.of("_csrf", "access_token");

	/** They are parameters only to be refused in the place of the path. */
	private static final Set<String> OF_THE_PATH = Set.of("path", "lock");

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (type == OperationType.READ || !endpoint.equals(LOCKS)) {
			return invoker;
		}
		Set<String> known = parameters.stream()
			.filter((parameter) -> parameter.getType() != SecurityContext.class)
			.map(OperationParameter::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		return (context) -> {
			Optional<String> unknown = context.getArguments()
				.keySet()
				.stream()
				.filter((name) -> !known.contains(name) && !OF_SECURITY.contains(name))
				.findFirst();
			return unknown.isPresent() ? refusal(unknown.get(), known) : invoker.invoke(context);
		};
	}

	private static WebEndpointResponse<ErrorDescriptor> refusal(String unknown, Collection<String> known) {
		Set<String> offered = new TreeSet<>(known);
		offered.removeAll(OF_THE_PATH);
		String question = NearestName.didYouMean(unknown, offered, "'%s'");
		String remedy = question.isEmpty() ? " The parameters are '%s'".formatted(String.join("', '", offered))
				: question;
		return new WebEndpointResponse<>(
				new ErrorDescriptor("INVALID",
						"There is no parameter '%s': nothing was done.%s".formatted(unknown, remedy)),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

}
