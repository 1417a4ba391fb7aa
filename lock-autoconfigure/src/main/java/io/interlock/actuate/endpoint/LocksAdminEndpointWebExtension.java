package io.interlock.actuate.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.interceptor.WaitTime;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.Assert;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of {@link LocksEndpoint} that also
 * takes locks away, and free ones for operators.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding({ LocksEndpoint.ClusterLocksDescriptor.class,
		LocksEndpointWebExtension.ErrorDescriptor.class, LocksEndpoint.HeldLockDescriptor.class,
		LocksAdminEndpointWebExtension.ReleaseDescriptor.class,
		LocksAdminEndpointWebExtension.RequestDescriptor.class })
public class LocksAdminEndpointWebExtension extends LocksEndpointWebExtension {

	private static final String RELEASED = "It is deleted. If it held the lock, the whole tenure of that instance has ended: every thread that holds the lock through it is told of a loss, and only fencing tokens stop what it still does. If it waited, it lost its place";

	private static final String REQUESTED = "The holder is asked and still holds the lock. It gives the lock up if it listens, if interlock.admin.enabled is set in its instance too, and when it sees fit: look at the lock again";

	private static final int STATUS_CONFLICT = 409;

	/** In the path where a parameter has the name. */
	private static final String NO_NAME = "-";

	private static final Log logger = LogFactory.getLog(LocksAdminEndpointWebExtension.class);

	private final LockAdministrator administrator;

	private final Function<LockRequest, LockHandle> locks;

	private final AtomicBoolean anonymous = new AtomicBoolean();

	/** Create an extension that takes locks away, and acquires them for operators. */
	public LocksAdminEndpointWebExtension(LocksEndpoint endpoint,
			Function<@Nullable String, @Nullable LockInspector> inspectors, LockAdministrator administrator,
			Function<LockRequest, LockHandle> locks) {
		super(endpoint, inspectors);
		Assert.notNull(administrator, "'administrator' must not be null");
		Assert.notNull(locks, "'locks' must not be null");
		this.administrator = administrator;
		this.locks = locks;
	}

	/** Release a lock by force. Its holder learns of it as a loss. */
	@DeleteOperation
	public WebEndpointResponse<Object> release(SecurityContext securityContext, @Selector String view,
			@Selector String lock, @Nullable String key, @Nullable String provider, long token) {
		return change(view, () -> {
			LockId id = LocksEndpoint.valid(() -> new LockId(lock, key).withProvider(provider));
			LockRevoker.Target released = LocksEndpoint
				.valid(() -> this.administrator.release(id, token, requestedBy(securityContext)));
			return new WebEndpointResponse<>(new ReleaseDescriptor(released, RELEASED));
		});
	}

	/** Release a lock whose name cannot be in a path, by force. */
	@DeleteOperation
	public WebEndpointResponse<Object> releaseNamed(SecurityContext securityContext, @Selector String view, String name,
			@Nullable String key, @Nullable String provider, long token) {
		return release(securityContext, view, name, key, provider, token);
	}

	/** Ask the holder of a lock to give it up. The holder decides. */
	@WriteOperation
	public WebEndpointResponse<Object> request(SecurityContext securityContext, @Selector String view,
			@Selector String lock, @Nullable String name, @Nullable String key, @Nullable String provider, long token,
			@Nullable Integer handoff) {
		return change(view, () -> {
			LockId id = LocksEndpoint.valid(() -> new LockId(nameOf(lock, name), key).withProvider(provider));
			LockRevoker.Target asked = LocksEndpoint
				.valid(() -> this.administrator.requestRevocation(id, token, handoff, requestedBy(securityContext)));
			return new WebEndpointResponse<>(new RequestDescriptor(asked, REQUESTED), 202);
		});
	}

	/** Take a free lock for a time in the name of the operator. */
	@Override
	@WriteOperation
	public WebEndpointResponse<Object> hold(SecurityContext securityContext, @Selector String lock,
			@Nullable String name, @Nullable String key, @Nullable String provider, @Nullable String hold) {
		try {
			Assert.notNull(hold, "'hold' must be the time to hold the lock for, such as '30m'");
			Duration time = time(hold);
			LockId id = new LockId(nameOf(lock, name), key).withProvider(provider);
			String operator = requestedBy(securityContext);
			LockHandle held = this.administrator.hold(id, time, operator, this.locks, this.inspectors.apply(provider));
			return new WebEndpointResponse<>(new LocksEndpoint.HeldLockDescriptor(id.name(), key, provider, held.mode(),
					held.fencingToken(), true, held.handoff(), "operator " + operator, held.acquiredAt(),
					held.acquiredAt().plus(time), operator, null));
		}
		catch (IllegalArgumentException ex) {
			return error("INVALID", ex, WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (LockNotAcquiredException ex) {
			return error("HELD", ex, STATUS_CONFLICT);
		}
		catch (LockException ex) {
			return error("UNAVAILABLE", ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	/** The body has the parameters too, and must not replace what the path says. */
	private static String nameOf(String lock, @Nullable String name) {
		Assert.isTrue(name == null || lock.equals(NO_NAME) || lock.equals(name),
				() -> "The path names lock '%s', and 'name' is '%s'. Omit 'name', or write '%s' in the path for a name with a slash"
					.formatted(lock, name, NO_NAME));
		return (name != null) ? name : lock;
	}

	private static Duration time(String hold) {
		try {
			WaitTime.requireUnit(hold);
			return DurationStyle.detectAndParse(hold.strip());
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'hold' must be a duration such as '30m': " + ex.getMessage(), ex);
		}
	}

	private static WebEndpointResponse<Object> change(String view, Supplier<WebEndpointResponse<Object>> operation) {
		try {
			return answer(view, operation);
		}
		catch (StaleTokenException ex) {
			return error("STALE_TOKEN", ex, STATUS_CONFLICT);
		}
	}

	private String requestedBy(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		if (principal == null && this.anonymous.compareAndSet(false, true)) {
			logger.warn(
					"An anonymous caller of the endpoint locks may take locks from their holders: requests to free a lock or to ask for it reach it without a login. Let the application demand one, as docs/security.md shows, or set interlock.admin.enabled=false");
		}
		return (principal != null) ? "'" + principal.getName() + "'" : "an anonymous operator";
	}

	/** Description of a release by force. */
	public record ReleaseDescriptor(LockRevoker.Target released, String message) implements OperationResponseBody {

	}

	/** Description of a request to give up a lock. */
	public record RequestDescriptor(LockRevoker.Target asked, String message) implements OperationResponseBody {

	}

}
