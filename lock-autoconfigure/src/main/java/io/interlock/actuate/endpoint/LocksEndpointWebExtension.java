package io.interlock.actuate.endpoint;

import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockQuery;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.Assert;

/**
 * {@link EndpointWebExtension @EndpointWebExtension} of {@link LocksEndpoint}: the locks
 * of all instances, at {@code cluster} and {@code cluster/{name}}. While they cannot be
 * read the answer is 503 with the reason.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@ImportRuntimeHints(LocksRuntimeHints.class)
public class LocksEndpointWebExtension {

	static final String CLUSTER = "cluster";

	static final String UNAVAILABLE = "UNAVAILABLE";

	private final LockInspector inspector;

	/**
	 * Create an extension.
	 * @param inspector who reads the locks
	 */
	public LocksEndpointWebExtension(LockInspector inspector) {
		Assert.notNull(inspector, "'inspector' must not be null");
		this.inspector = inspector;
	}

	/**
	 * Return the locks of all instances.
	 * @param view {@code cluster}
	 * @param name name of the locks to show, or {@code null} for all
	 * @param key key of the one lock to show, or {@code null} for all of that name
	 * @param offset how many to leave out, or {@code null} for none
	 * @param limit how many to show, or {@code null} for 100
	 * @param queueLimit how many contenders of each to show, or {@code null} for 10, and
	 * 100 with a name
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Selector String view, @Nullable String name, @Nullable String key,
			@Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
		if (!view.equals(CLUSTER)) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return read(Parameters.query(name, key, offset, limit, queueLimit));
	}

	/**
	 * Return the locks of one name.
	 * @param view {@code cluster}
	 * @param name name of the locks as the application wrote it
	 * @param key key of the one lock to show, or {@code null} for all of that name
	 * @param offset how many to leave out, or {@code null} for none
	 * @param limit how many to show, or {@code null} for 100
	 * @param queueLimit how many contenders of each to show, or {@code null} for 100
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<Object> locksOfName(@Selector String view, @Selector String name, @Nullable String key,
			@Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
		return locks(view, name, key, offset, limit, queueLimit);
	}

	private WebEndpointResponse<Object> read(LockQuery query) {
		try {
			return new WebEndpointResponse<>(ClusterLocksDescriptor.of(this.inspector.locks(query)));
		}
		catch (LockInspectionException ex) {
			return error(UNAVAILABLE, ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	static WebEndpointResponse<Object> error(String error, RuntimeException reason, int status) {
		return new WebEndpointResponse<>(new LocksErrorDescriptor(error, String.valueOf(reason.getMessage())), status);
	}

}
