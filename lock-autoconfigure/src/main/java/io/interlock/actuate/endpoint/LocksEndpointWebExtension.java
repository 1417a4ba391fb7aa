package io.interlock.actuate.endpoint;

import java.util.function.Function;
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
 * read the answer is 503 with the reason. It is 501 where the provider never tells them.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding({ LocksEndpoint.ClusterLocksDescriptor.class,
		LocksEndpointWebExtension.ErrorDescriptor.class })
public class LocksEndpointWebExtension {

	private static final String NOT_TOLD = "The provider of the locks does not tell who holds them. Ask each instance for its own at /actuator/locks, or keep the locks in ZooKeeper, a database or Redis (interlock.provider)";

	private static final int STATUS_NOT_IMPLEMENTED = 501;

	private final LocksEndpoint endpoint;

	final Function<@Nullable String, @Nullable LockInspector> inspectors;

	/**
	 * Create an extension of an endpoint.
	 * @param endpoint the endpoint
	 * @param inspectors returns what reads the locks of a provider, by its name or of the
	 * default one for {@code null}; {@code null} if nothing reads them. Fails with
	 * {@link IllegalArgumentException} for a name that is not known
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint,
			Function<@Nullable String, @Nullable LockInspector> inspectors) {
		this.endpoint = endpoint;
		this.inspectors = inspectors;
	}

	/** Return the locks of all clients, busy ones first, or runs at {@code runs}. */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Selector String view, @Nullable String name, @Nullable String key,
			@Nullable String provider, @Nullable Boolean busy, @Nullable Integer offset, @Nullable Integer limit,
			@Nullable Integer queueLimit) {
		LocksEndpoint.RunsDescriptor runs = this.endpoint.runs(view);
		return (runs != null) ? new WebEndpointResponse<>(runs)
				: locksOfName(view, name, key, provider, busy, offset, limit, queueLimit);
	}

	/** Return the locks of one name, with the parameters of {@link #locks}. */
	@ReadOperation
	public WebEndpointResponse<Object> locksOfName(@Selector String view, @Selector @Nullable String name,
			@Nullable String key, @Nullable String provider, @Nullable Boolean busy, @Nullable Integer offset,
			@Nullable Integer limit, @Nullable Integer queueLimit) {
		return answer(view, () -> new WebEndpointResponse<>(LocksEndpoint.ClusterLocksDescriptor
			.read(inspector(provider), name, key, busy, offset, limit, queueLimit)));
	}

	private LockInspector inspector(@Nullable String provider) {
		LockInspector inspector = LocksEndpoint.valid(() -> this.inspectors.apply(provider));
		if (inspector == null) {
			throw new UnsupportedOperationException(NOT_TOLD);
		}
		return inspector;
	}

	/** Say which property is missing, where unrestricted access alone is not enough. */
	@WriteOperation
	public WebEndpointResponse<Object> hold(SecurityContext securityContext, @Selector String lock,
			@Nullable String name, @Nullable String key, @Nullable String provider, @Nullable String hold) {
		return new WebEndpointResponse<>(
				new ErrorDescriptor("NOT_ENABLED",
						"Operators hold and free locks only with interlock.admin.enabled=true"),
				STATUS_NOT_IMPLEMENTED);
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
		catch (UnsupportedOperationException ex) {
			return error("NOT_SUPPORTED", ex, STATUS_NOT_IMPLEMENTED);
		}
	}

	static WebEndpointResponse<Object> error(String error, RuntimeException reason, int status) {
		return new WebEndpointResponse<>(new ErrorDescriptor(error, String.valueOf(reason.getMessage())), status);
	}

	/** Description of a failure. */
	public record ErrorDescriptor(String error, String message) implements OperationResponseBody {

	}

}
