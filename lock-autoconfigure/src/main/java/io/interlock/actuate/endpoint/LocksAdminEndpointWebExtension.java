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
import io.interlock.LockOperator;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.interceptor.WaitTime;
import io.interlock.internal.PrintableText;
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

	private static final String RELEASED = "The contender is deleted. If it held the lock, every thread of that "
			+ "instance that holds the lock has lost it, and only fencing tokens stop what the thread still does. "
			+ "If it waited, it lost its place";

	private static final String FREED = "It is done, and the lock is free now, or its next holder has it: it was kept "
			+ "for a minimum hold time or for an operator, or its holder has given it up";

	private static final String REQUESTED = "The holder was asked and still holds the lock. It gives up the lock "
			+ "when it sees fit, provided that it listens and interlock.admin.enabled is set in its instance too: "
			+ "look at the lock again";

	private static final int STATUS_CONFLICT = 409;

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

	/**
	 * Release a lock by force. Its holder learns of it as a loss. A parameter has a name
	 * that cannot be in a path.
	 */
	@Override
	@DeleteOperation
	public WebEndpointResponse<Object> release(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable String name, @Nullable String lock,
			@Nullable String key, @Nullable String provider, @Nullable String token) {
		return answer(() -> {
			RequestedLock requested = RequestedLock.inView(CLUSTER, path, name, lock);
			return change(requested.view(), () -> {
				LockRevoker.Target released = this.administrator.release(requested.id(key, provider),
						RequestParameter.token(token), requestedBy(securityContext));
				return new WebEndpointResponse<>(new ReleaseDescriptor(released, released.kept() ? FREED : RELEASED));
			});
		});
	}

	/**
	 * Take a free lock for a time in the name of the operator. In the view, ask its
	 * holder to give it up, who decides.
	 */
	@Override
	@WriteOperation
	public WebEndpointResponse<Object> holdOrAsk(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) Object path, @Nullable String name, @Nullable String lock,
			@Nullable String key, @Nullable String provider, @Nullable String hold, @Nullable String reason,
			@Nullable String token, @Nullable String handoff) {
		return answer(() -> {
			RequestedLock requested = RequestedLock.of(path, name, lock);
			if (requested.view() == null) {
				RequestParameter.refuse("token", token, "To ask the holder, POST " + requested.pathInView());
				RequestParameter.refuse("handoff", handoff, "To ask the holder, POST " + requested.pathInView());
				return hold(securityContext, requested.id(key, provider), hold, reason);
			}
			return change(requested.view(), () -> {
				RequestParameter.refuse("hold", hold, "To hold a free lock, POST " + requested.pathAlone());
				RequestParameter.refuse("reason", reason, "A hold needs a reason: POST " + requested.pathAlone());
				return ask(securityContext, requested.id(key, provider), RequestParameter.token(token),
						RequestParameter.number("handoff", handoff));
			});
		});
	}

	private WebEndpointResponse<Object> ask(SecurityContext securityContext, LockId id, long token,
			@Nullable Integer handoff) {
		LockRevoker.Target asked = this.administrator.requestRevocation(id, token, handoff,
				requestedBy(securityContext));
		return asked.freed() ? new WebEndpointResponse<>(new RequestDescriptor(asked, FREED))
				: new WebEndpointResponse<>(new RequestDescriptor(asked, REQUESTED), 202);
	}

	private WebEndpointResponse<Object> hold(SecurityContext securityContext, LockId id, @Nullable String hold,
			@Nullable String reason) {
		try {
			Assert.notNull(hold, "'hold' must be the time to hold the lock for, such as '30m'");
			Duration time = time(hold);
			String operator = requestedBy(securityContext);
			LockHandle held = this.administrator.hold(id, time, operator, reason, this.locks,
					this.inspectors.apply(id.provider()));
			return new WebEndpointResponse<>(new LocksEndpoint.HeldLockDescriptor(id.name(), id.key(), id.provider(),
					held.mode(), held.fencingToken(), true, held.handoff(), new LockOperator(operator, null).text(),
					held.acquiredAt(), held.acquiredAt().plus(time), operator,
					(reason != null) ? PrintableText.of(reason.strip()) : null, null));
		}
		catch (LockNotAcquiredException ex) {
			return error("HELD", ex, STATUS_CONFLICT);
		}
		catch (LockException ex) {
			return error("UNAVAILABLE", ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
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

	private static WebEndpointResponse<Object> change(@Nullable String view,
			Supplier<WebEndpointResponse<Object>> operation) {
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
			logger.warn("Anonymous callers of the locks endpoint can take locks from their holders: requests to free a "
					+ "lock or to ask for it need no login. Require one, as docs/security.md shows, or set "
					+ "interlock.admin.enabled=false");
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
