package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.util.ClassUtils;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.StringUtils;

/**
 * TLS of one client. ZooKeeper's system properties for TLS apply to all clients and
 * servers of this JVM, so they decide nothing that the {@link SslBundle} decides.
 * <p>
 * ZooKeeper's client takes nothing but files, so the stores of the bundle are written to
 * PKCS12 files. The client reads them for every connection, so they stay until it is
 * closed. Only the user of this process may read them, and their password never leaves
 * this JVM, so files that a killed JVM leaves behind tell nothing.
 */
final class ClientTls implements AutoCloseable {

	/** The only socket of ZooKeeper's client that supports TLS. */
	static final String SOCKET = "org.apache.zookeeper.ClientCnxnSocketNetty";

	private static final String STORE_TYPE = "PKCS12";

	private static final Log logger = LogFactory.getLog(ClientTls.class);

	private final Path directory;

	private final String password = newPassword();

	private final StoreFiles files;

	private final ZKClientConfig config = new ZKClientConfig();

	private ClientTls(Path directory) {
		this.directory = directory;
		this.files = new StoreFiles(directory, this.password);
	}

	private static String newPassword() {
		byte[] random = new byte[32];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/** Write the stores of a bundle to a new directory; its name is for messages. */
	static ClientTls of(SslBundle bundle, @Nullable String name) {
		checkLibraries(ClientTls.class.getClassLoader());
		ClientTls tls = new ClientTls(createDirectory());
		try {
			tls.write(bundle);
			tls.configure(bundle.getOptions());
			return tls;
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			tls.close();
			throw unusable(ex, (name != null) ? " '" + name + "'" : "");
		}
	}

	private static ZooKeeperStartupException unusable(Exception failure, String name) {
		String action = (failure instanceof UnreadableKeyException)
				? "ZooKeeper's client takes keys from files, so keys that stay in hardware cannot be used. Name a bundle "
						+ "with another key in interlock.zookeeper.ssl.bundle."
				: "Correct the bundle that interlock.zookeeper.ssl.bundle names: its stores, their passwords, and the "
						+ "password and the alias of its key are below spring.ssl.bundle.";
		return new ZooKeeperStartupException(
				"The SSL bundle%s for ZooKeeper cannot be used: %s.".formatted(name, reasons(failure)), action,
				failure);
	}

	/** Collect all messages, because only a nested cause mentions a wrong password. */
	private static String reasons(Throwable failure) {
		List<String> reasons = new ArrayList<>();
		for (Throwable each = failure; each != null; each = each.getCause()) {
			String message = Objects.requireNonNullElse(each.getMessage(), each.toString());
			String reason = StringUtils.trimTrailingCharacter(message, '.');
			if (reasons.stream().noneMatch((said) -> said.contains(reason))) {
				reasons.add(reason);
			}
		}
		return String.join(": ", reasons);
	}

	/**
	 * Fail early: without Netty, each connection would fail on a thread of the client.
	 */
	static void checkLibraries(@Nullable ClassLoader classLoader) {
		checkLibrary("io.netty.handler.ssl.SslHandler", "io.netty:netty-handler", classLoader);
		checkLibrary("io.netty.channel.epoll.Epoll", "io.netty:netty-transport-classes-epoll", classLoader);
	}

	private static void checkLibrary(String className, String library, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(className, classLoader)) {
			throw new ZooKeeperStartupException(
					"ZooKeeper's client needs Netty for TLS, but the class '%s' is missing.".formatted(className),
					"Add the dependency '%s', or do not exclude it from 'org.apache.zookeeper:zookeeper'. "
						.formatted(library) + "To connect without TLS, remove interlock.zookeeper.ssl.",
					null);
		}
	}

	private static Path createDirectory() {
		try {
			// Java makes temporary directories readable for their owner only.
			return Files.createTempDirectory("interlock-tls-");
		}
		catch (IOException ex) {
			throw new ZooKeeperStartupException(
					"The SSL bundle for ZooKeeper cannot be written to a temporary directory: %s.".formatted(ex),
					"Make the directory of the system property java.io.tmpdir writable, or set the property to another one.",
					ex);
		}
	}

	/**
	 * Use the stores of a changed bundle for new connections, all of them or none. A
	 * bundle that has lost its trust store is refused, because the client would trust
	 * whatever Java trusts.
	 */
	void update(SslBundle bundle) {
		try {
			if (bundle.getStores().getTrustStore() == null && !this.files.trustStore().isEmpty()) {
				throw new IllegalStateException("The SSL bundle has no trust store any more");
			}
			List<String> done = write(bundle);
			setLocations();
			logger.info("The SSL bundle for ZooKeeper has changed: new connections use it (%s)"
				.formatted(StringUtils.collectionToDelimitedString(done, ", ")));
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			logger.error("The SSL bundle for ZooKeeper has changed, but cannot be used: connections use the old one",
					ex);
		}
	}

	private List<String> write(SslBundle bundle) throws IOException, GeneralSecurityException {
		return this.files.replace(copyKeys(bundle), copyCertificates(bundle));
	}

	/** Copy the private keys that the bundle's managers would use, of any store type. */
	private @Nullable KeyStore copyKeys(SslBundle bundle) throws IOException, GeneralSecurityException {
		KeyStore source = bundle.getStores().getKeyStore();
		if (source == null) {
			return null;
		}
		SslBundleKey key = bundle.getKey();
		key.assertContainsAlias(source);
		String only = key.getAlias();
		String keyPassword = (key.getPassword() != null) ? key.getPassword() : bundle.getStores().getKeyStorePassword();
		KeyStore copy = emptyStore();
		for (String alias : (only != null) ? List.of(only) : Collections.list(source.aliases())) {
			if (source.isKeyEntry(alias)) {
				Key privateKey = source.getKey(alias, (keyPassword != null) ? keyPassword.toCharArray() : null);
				if (privateKey.getEncoded() == null) {
					throw new UnreadableKeyException(alias);
				}
				copy.setKeyEntry(alias, privateKey, this.password.toCharArray(), source.getCertificateChain(alias));
			}
		}
		return copy;
	}

	/** Copy the certificates to trust, those of private keys included. */
	private static @Nullable KeyStore copyCertificates(SslBundle bundle) throws IOException, GeneralSecurityException {
		KeyStore source = bundle.getStores().getTrustStore();
		if (source == null) {
			return null;
		}
		KeyStore copy = emptyStore();
		for (String alias : Collections.list(source.aliases())) {
			Certificate certificate = source.getCertificate(alias);
			if (certificate != null) {
				copy.setCertificateEntry(alias, certificate);
			}
		}
		return copy;
	}

	private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance(STORE_TYPE);
		store.load(null, null);
		return store;
	}

	/** Set each property, even to {@code null}, so that none of the JVM applies. */
	private void configure(SslOptions options) {
		this.config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		this.config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, SOCKET);
		try (ClientX509Util x509 = new ClientX509Util()) {
			this.config.setProperty(x509.getSslKeystoreTypeProperty(), STORE_TYPE);
			this.config.setProperty(x509.getSslKeystorePasswdProperty(), this.password);
			this.config.setProperty(x509.getSslKeystorePasswdPathProperty(), "");
			this.config.setProperty(x509.getSslTruststoreTypeProperty(), STORE_TYPE);
			this.config.setProperty(x509.getSslTruststorePasswdProperty(), this.password);
			this.config.setProperty(x509.getSslTruststorePasswdPathProperty(), "");
			set(x509.getSslProtocolProperty(), null);
			setList(x509.getSslEnabledProtocolsProperty(), options.getEnabledProtocols());
			setList(x509.getCipherSuitesProperty(), options.getCiphers());
			set(x509.getSslContextSupplierClassProperty(), null);
			this.config.setProperty(x509.getSslHostnameVerificationEnabledProperty(), "true");
			this.config.setProperty(x509.getSslAllowReverseDnsLookupProperty(), "false");
		}
		setLocations();
	}

	private void setLocations() {
		try (ClientX509Util x509 = new ClientX509Util()) {
			this.config.setProperty(x509.getSslKeystoreLocationProperty(), this.files.keyStore());
			this.config.setProperty(x509.getSslTruststoreLocationProperty(), this.files.trustStore());
		}
	}

	private void setList(String name, String @Nullable [] values) {
		set(name, (values != null) ? StringUtils.arrayToCommaDelimitedString(values) : null);
	}

	@SuppressWarnings("NullAway") // A value that is set to null is one that is not set.
	private void set(String name, @Nullable String value) {
		this.config.setProperty(name, value);
	}

	ZKClientConfig config() {
		return this.config;
	}

	@Override
	public void close() {
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			logger.warn("Failed to delete %s".formatted(this.directory), ex);
		}
	}

	/** A private key that its provider does not show. */
	private static final class UnreadableKeyException extends KeyException {

		UnreadableKeyException(String alias) {
			super("the private key '%s' cannot be read".formatted(alias));
		}

	}

}
