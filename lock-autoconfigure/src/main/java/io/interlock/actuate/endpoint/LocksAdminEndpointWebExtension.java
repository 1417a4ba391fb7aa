package io.interlock.actuate.endpoint;

import java.security.Principal;
import java.util.function.Supplier;

import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.StaleTokenException;
import io.interlock.admin.TokenNode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.Assert;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of {@link LocksEndpoint} that frees
 * locks too.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@ImportRuntimeHints(LocksRuntimeHints.class)
public class LocksAdminEndpointWebExtension extends LocksEndpointWebExtension {

	private static final int STATUS_ACCEPTED = 202;

	private static final int STATUS_CONFLICT = 409;

	private final LockAdministrator administrator;

	/**
	 * Create an extension.
	 * @param inspector who reads the locks
	 * @param administrator who frees them
	 */
	public LocksAdminEndpointWebExtension(LockInspector inspector, LockAdministrator administrator) {
		super(inspector);
		Assert.notNull(administrator, "'administrator' must not be null");
		this.administrator = administrator;
	}

	/**
	 * End one tenure of a lock by force. The holder learns of it as a loss.
	 * @param securityContext who asks
	 * @param view {@code cluster}
	 * @param name name of the lock as the application wrote it
	 * @param key key of the lock, or {@code null} if it has none
	 * @param token token of the node to delete, as the operator saw it
	 * @return what was released; 409 if no node has that token any more, 503 if ZooKeeper
	 * does not answer or does not permit it
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> release(SecurityContext securityContext, @Selector String view,
			@Selector String name, @Nullable String key, long token) {
		return answer(view, () -> new WebEndpointResponse<>(ReleaseDescriptor
			.of(this.administrator.release(Parameters.id(name, key), token, requestedBy(securityContext)))));
	}

	/**
	 * Ask the holder of a lock to give it up. Whether it does is up to the holder.
	 * @param securityContext who asks
	 * @param view {@code cluster}
	 * @param name name of the lock as the application wrote it
	 * @param key key of the lock, or {@code null} if it has none
	 * @param token token of the node that holds it, as the operator saw it
	 * @param handoff hand-off number of the holder as its own instance shows it, or
	 * {@code null} for whoever holds the lock by that token
	 * @return 202 and who is asked; 409 if no node has that token any more, 503 if
	 * ZooKeeper does not answer or does not permit it
	 */
	@WriteOperation
	public WebEndpointResponse<Object> request(SecurityContext securityContext, @Selector String view,
			@Selector String name, @Nullable String key, long token, @Nullable Integer handoff) {
		return answer(view,
				() -> new WebEndpointResponse<>(RequestDescriptor.of(this.administrator
					.requestRevocation(Parameters.id(name, key), token, handoff, requestedBy(securityContext))),
						STATUS_ACCEPTED));
	}

	private static WebEndpointResponse<Object> answer(String view, Supplier<WebEndpointResponse<Object>> operation) {
		if (!view.equals(CLUSTER)) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			return operation.get();
		}
		catch (StaleTokenException ex) {
			return error("STALE_TOKEN", ex, STATUS_CONFLICT);
		}
		catch (LockInspectionException ex) {
			return error(UNAVAILABLE, ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private static String requestedBy(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		return (principal != null) ? "'" + principal.getName() + "'" : "somebody without a name";
	}

	/**
	 * Description of what was released.
	 *
	 * @param released what it was
	 * @param message what it means
	 */
	public record ReleaseDescriptor(TokenNode released, String message) implements OperationResponseBody {

		static ReleaseDescriptor of(TokenNode node) {
			return new ReleaseDescriptor(node,
					"The node is deleted. If it held the lock, the whole tenure of that instance has ended: every "
							+ "thread that it gave the lock to is told of a loss, and what they still do is only "
							+ "stopped by fencing tokens. If it waited, it lost its place");
		}

	}

	/**
	 * Description of what was asked for.
	 *
	 * @param asked the node whose instance is asked
	 * @param message what it means
	 */
	public record RequestDescriptor(TokenNode asked, String message) implements OperationResponseBody {

		static RequestDescriptor of(TokenNode node) {
			return new RequestDescriptor(node,
					"The holder is asked and still holds the lock. It gives the lock up if it listens, if "
							+ "interlock.admin.enabled is set in its instance too, and when it sees fit: look at the "
							+ "lock again");
		}

	}

}
