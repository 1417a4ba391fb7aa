package io.interlock.actuate.endpoint;

import java.util.function.Supplier;

import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of {@link LocksEndpoint}: the locks
 * of all clients, at {@code cluster} and {@code cluster/{name}}. While they cannot be
 * read the answer is 503 with the reason.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding({ LocksEndpoint.ClusterLocksDescriptor.class,
		LocksEndpointWebExtension.ErrorDescriptor.class })
public class LocksEndpointWebExtension {

	private static final int STATUS_NOT_ENABLED = 501;

	private final LocksEndpoint endpoint;

	final @Nullable LockInspector inspector;

	/** Create an extension of an endpoint, with what reads the locks, or {@code null}. */
	public LocksEndpointWebExtension(LocksEndpoint endpoint, @Nullable LockInspector inspector) {
		this.endpoint = endpoint;
		this.inspector = inspector;
	}

	/** Return the locks of all clients, busy ones first, or runs at {@code runs}. */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Selector String view, @Nullable String name, @Nullable String key,
			@Nullable Boolean busy, @Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
		LocksEndpoint.RunsDescriptor runs = this.endpoint.runs(view);
		return (runs != null) ? new WebEndpointResponse<>(runs)
				: locksOfName(view, name, key, busy, offset, limit, queueLimit);
	}

	/** Return the locks of one name, with the parameters of {@link #locks}. */
	@ReadOperation
	public WebEndpointResponse<Object> locksOfName(@Selector String view, @Selector @Nullable String name,
			@Nullable String key, @Nullable Boolean busy, @Nullable Integer offset, @Nullable Integer limit,
			@Nullable Integer queueLimit) {
		LockInspector inspector = this.inspector;
		return (inspector == null) ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
				: answer(view, () -> new WebEndpointResponse<>(LocksEndpoint.ClusterLocksDescriptor.read(inspector,
						name, key, busy, offset, limit, queueLimit)));
	}

	/** Say which property is missing, where unrestricted access alone is not enough. */
	@WriteOperation
	public WebEndpointResponse<Object> hold(SecurityContext securityContext, @Selector String lock,
			@Nullable String name, @Nullable String key, @Nullable String provider, String hold) {
		return new WebEndpointResponse<>(new ErrorDescriptor("NOT_ENABLED",
				"Operators hold and free locks only with interlock.admin.enabled=true"), STATUS_NOT_ENABLED);
	}

	static WebEndpointResponse<Object> answer(String view, Supplier<WebEndpointResponse<Object>> operation) {
		if (!view.equals("cluster")) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			return operation.get();
		}
		catch (LockInspectionException ex) {
			return error("UNAVAILABLE", ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	static WebEndpointResponse<Object> error(String error, RuntimeException reason, int status) {
		return new WebEndpointResponse<>(new ErrorDescriptor(error, String.valueOf(reason.getMessage())), status);
	}

	/** Description of a failure. */
	public record ErrorDescriptor(String error, String message) implements OperationResponseBody {

	}

}
