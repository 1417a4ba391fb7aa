package io.interlock.actuate.endpoint;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.TooManyLocksException;
import io.interlock.internal.NearestName;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of {@link LocksEndpoint}: the locks
 * of all clients, at {@code cluster} and {@code cluster/{name}}. While they cannot be
 * read the answer is 503 with the reason. It is 501 where the provider never tells them,
 * and 400 with the name of a parameter that is wrong.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding({ LocksEndpoint.LocksDescriptor.class, LocksEndpoint.RunsDescriptor.class,
		LocksEndpoint.ClusterLocksDescriptor.class, LocksEndpointWebExtension.ErrorDescriptor.class })
public class LocksEndpointWebExtension {

	private static final String NOT_TOLD = "The lock provider cannot list the holders of its locks. Ask each "
			+ "instance for its own at /actuator/locks, or keep the locks in ZooKeeper, a database or Redis "
			+ "(interlock.provider)";

	private static final int STATUS_NOT_IMPLEMENTED = 501;

	static final String CLUSTER = "cluster";

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

	/** Return the locks of this JVM, as {@link LocksEndpoint#locks} does. */
	@ReadOperation
	public WebEndpointResponse<Object> ownLocks(@Nullable String name, @Nullable String stacks,
			@Nullable String limit) {
		return answer(() -> new WebEndpointResponse<>(this.endpoint.locks(name, RequestParameter.flag("stacks", stacks),
				RequestParameter.number("limit", limit))));
	}

	/** Return the locks of all clients, busy ones first, or runs at {@code runs}. */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Selector String view, @Nullable String name, @Nullable String key,
			@Nullable String provider, @Nullable String busy, @Nullable String offset, @Nullable String limit,
			@Nullable String queueLimit) {
		LocksEndpoint.RunsDescriptor runs = this.endpoint.runs(view);
		return (runs != null) ? new WebEndpointResponse<>(runs)
				: locksOfName(view, name, key, provider, busy, offset, limit, queueLimit);
	}

	/** Return the locks of one name, with the parameters of {@link #locks}. */
	@ReadOperation
	public WebEndpointResponse<Object> locksOfName(@Selector String view, @Selector @Nullable String name,
			@Nullable String key, @Nullable String provider, @Nullable String busy, @Nullable String offset,
			@Nullable String limit, @Nullable String queueLimit) {
		return answer(view, () -> {
			LockInspector.Query query = LocksEndpoint.ClusterLocksDescriptor.query(name, key,
					RequestParameter.flag("busy", busy), RequestParameter.number("offset", offset),
					RequestParameter.number("limit", limit), RequestParameter.number("queueLimit", queueLimit));
			return new WebEndpointResponse<>(LocksEndpoint.ClusterLocksDescriptor.read(inspector(provider), query));
		});
	}

	private LockInspector inspector(@Nullable String provider) {
		LockInspector inspector = this.inspectors.apply(provider);
		if (inspector == null) {
			throw new UnsupportedOperationException(NOT_TOLD);
		}
		return inspector;
	}

	/** Say which property is missing, where unrestricted access alone is not enough. */
	@WriteOperation
	public WebEndpointResponse<Object> holdOrAsk(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable String name, @Nullable String lock,
			@Nullable String key, @Nullable String provider, @Nullable String hold, @Nullable String reason,
			@Nullable String token, @Nullable String handoff) {
		return notEnabled();
	}

	/** Say which property is missing, as {@link #holdOrAsk} does. */
	@DeleteOperation
	public WebEndpointResponse<Object> release(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable String name, @Nullable String lock,
			@Nullable String key, @Nullable String provider, @Nullable String token) {
		return notEnabled();
	}

	private static WebEndpointResponse<Object> notEnabled() {
		return new WebEndpointResponse<>(
				new ErrorDescriptor("NOT_ENABLED",
						"Holding, asking for and freeing locks requires interlock.admin.enabled=true"),
				STATUS_NOT_IMPLEMENTED);
	}

	static WebEndpointResponse<Object> answer(@Nullable String view, Supplier<WebEndpointResponse<Object>> operation) {
		if (!CLUSTER.equals(view)) {
			return new WebEndpointResponse<>(new ErrorDescriptor("NOT_FOUND", notFound(String.valueOf(view))),
					WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return answer(operation);
	}

	private static String notFound(String view) {
		return "There is no view '%s'.%s".formatted(view,
				NearestName.didYouMean(view, List.of(CLUSTER, "runs"), "'%s'"));
	}

	/** Answer, with the reason if the request is wrong or cannot be answered. */
	static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
		try {
			return operation.get();
		}
		catch (IllegalArgumentException | InvalidEndpointRequestException ex) {
			return error("INVALID", ex, WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (LockInspectionException ex) {
			return error(code(ex), ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
		catch (UnsupportedOperationException ex) {
			return error("NOT_SUPPORTED", ex, STATUS_NOT_IMPLEMENTED);
		}
	}

	private static String code(LockInspectionException ex) {
		if (ex instanceof TooManyLocksException) {
			return "TOO_MANY";
		}
		return (ex instanceof LockInspectionBusyException) ? "BUSY" : "UNAVAILABLE";
	}

	static WebEndpointResponse<Object> error(String error, RuntimeException reason, int status) {
		return new WebEndpointResponse<>(new ErrorDescriptor(error, String.valueOf(reason.getMessage())), status);
	}

	/** Description of a failure. */
	public record ErrorDescriptor(String error, String message) implements OperationResponseBody {

	}

}
