package io.interlock.provider;

import java.util.Map;

import io.interlock.LockRequest;

import org.springframework.util.Assert;

/**
 * Takes each lock from the provider that its {@link io.interlock.LockId#provider() id}
 * names, and others from the default one. Immutable.
 *
 * @since 0.1.0
 */
public final class NamedLockProviders implements LockProvider {

	private final LockProvider byDefault;

	private final Map<String, LockProvider> named;

	/**
	 * Create a provider.
	 * @param byDefault where the locks come from that name no provider
	 * @param named the other providers by name
	 */
	public NamedLockProviders(LockProvider byDefault, Map<String, LockProvider> named) {
		Assert.notNull(byDefault, "'byDefault' must not be null");
		this.byDefault = byDefault;
		this.named = Map.copyOf(named);
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller caller) {
		return providerOf(request).attempt(request, caller);
	}

	@Override
	public LockAttempt attemptAtOnce(LockRequest request, LockCaller caller) {
		return providerOf(request).attemptAtOnce(request, caller);
	}

	@Override
	public LockCapabilities capabilities() {
		return this.byDefault.capabilities();
	}

	@Override
	public LockCapabilities capabilities(LockRequest request) {
		return providerOf(request).capabilities();
	}

	private LockProvider providerOf(LockRequest request) {
		String name = request.id().provider();
		LockProvider found = (name != null) ? this.named.get(name) : this.byDefault;
		Assert.isTrue(found != null, () -> "There is no lock provider '%s' beside the default one, only %s."
			.formatted(name, this.named.keySet().stream().sorted().toList()));
		return found;
	}

}
