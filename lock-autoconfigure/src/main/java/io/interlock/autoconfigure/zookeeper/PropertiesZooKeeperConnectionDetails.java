package io.interlock.autoconfigure.zookeeper;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

record PropertiesZooKeeperConnectionDetails(ZooKeeperProperties properties,
		@Nullable SslBundles sslBundles) implements ZooKeeperConnectionDetails {

	@Override
	public String connectString() {
		return this.properties.connectString();
	}

	@Override
	public @Nullable String username() {
		return this.properties.username();
	}

	@Override
	public @Nullable String password() {
		return this.properties.password();
	}

	@Override
	public @Nullable SslBundle sslBundle() {
		if (!this.properties.ssl().isEnabled()) {
			return null;
		}
		String name = bundleName();
		return (name != null) ? bundle(name) : SslBundle.systemDefault();
	}

	@Nullable String bundleName() {
		String name = this.properties.ssl().bundle();
		return StringUtils.hasText(name) ? name : null;
	}

	private SslBundle bundle(String name) {
		if (this.sslBundles == null) {
			throw invalid(name, "There are no SSL bundles in this application.");
		}
		try {
			return this.sslBundles.getBundle(name);
		}
		catch (NoSuchSslBundleException ex) {
			throw invalid(name,
					"There is no such SSL bundle, only %s. Define it below spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s."
						.formatted(this.sslBundles.getBundleNames(), name, name));
		}
	}

	private static InvalidConfigurationPropertyValueException invalid(String name, String reason) {
		return new InvalidConfigurationPropertyValueException("interlock.zookeeper.ssl.bundle", name, reason);
	}

	void onSslBundleUpdate(Consumer<SslBundle> handler) {
		String name = bundleName();
		if (this.sslBundles != null && this.properties.ssl().isEnabled() && name != null) {
			this.sslBundles.addBundleUpdateHandler(name, handler);
		}
	}

	@Override
	public boolean ensembleTracker() {
		return this.properties.ensembleTracker();
	}

}
