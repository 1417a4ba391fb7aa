package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.HexFormat;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.FileSystemUtils;

/**
 * The stores of an {@link SslBundle} as PKCS12 files, because files are all that
 * ZooKeeper's client takes. It reads them for every connection, so they stay until the
 * client is closed. Only this user may read them, and their password never leaves this
 * JVM, so that files which a killed JVM leaves behind tell nothing.
 */
final class TlsStores implements AutoCloseable {

	static final String TYPE = "PKCS12";

	private static final Log logger = LogFactory.getLog(TlsStores.class);

	private static final String KEY_STORE = "keystore.p12";

	private static final String TRUST_STORE = "truststore.p12";

	private final Path directory;

	private final String password = newPassword();

	private TlsStores(Path directory) {
		this.directory = directory;
	}

	private static String newPassword() {
		byte[] random = new byte[32];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/**
	 * Write the stores of a bundle to a directory of their own.
	 * @param bundle the bundle
	 * @return the stores
	 */
	static TlsStores of(SslBundle bundle) {
		TlsStores stores = new TlsStores(createDirectory());
		try {
			stores.write(bundle);
			return stores;
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			stores.close();
			throw new ZooKeeperTlsException(
					"The SSL bundle for ZooKeeper cannot be used: %s.".formatted(ex.getMessage()),
					"Correct the bundle that interlock.zookeeper.ssl.bundle names. Private keys must be readable: "
							+ "ZooKeeper's client takes files, so those that stay in hardware cannot be used.",
					ex);
		}
	}

	/**
	 * Create the directory. Java gives temporary ones to their owner alone.
	 */
	private static Path createDirectory() {
		try {
			return Files.createTempDirectory("interlock-tls-");
		}
		catch (IOException ex) {
			throw new ZooKeeperTlsException(
					"The SSL bundle for ZooKeeper cannot be written to a temporary directory: %s.".formatted(ex),
					"Make the directory writable that the system property java.io.tmpdir names, or set it to another.",
					ex);
		}
	}

	/**
	 * Replace the stores by those of a bundle that has changed. Each file is complete at
	 * any time; connections that are made from now on use the new ones.
	 * @param bundle the new bundle
	 */
	void update(SslBundle bundle) {
		try {
			write(bundle);
			logger.info("The SSL bundle for ZooKeeper has changed: new connections use it");
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			logger.error("The SSL bundle for ZooKeeper has changed, but cannot be used: connections use the old one",
					ex);
		}
	}

	private void write(SslBundle bundle) throws IOException, GeneralSecurityException {
		write(TlsEntries.keys(bundle, this.password.toCharArray()), KEY_STORE);
		write(TlsEntries.certificates(bundle), TRUST_STORE);
	}

	private void write(@Nullable KeyStore store, String name) throws IOException, GeneralSecurityException {
		if (store != null) {
			Path file = Files.createTempFile(this.directory, name, null);
			try (OutputStream output = Files.newOutputStream(file)) {
				store.store(output, this.password.toCharArray());
			}
			Files.move(file, this.directory.resolve(name), StandardCopyOption.ATOMIC_MOVE,
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

	String keyStoreLocation() {
		return location(KEY_STORE);
	}

	String trustStoreLocation() {
		return location(TRUST_STORE);
	}

	/**
	 * Return where a store is.
	 * @return the file, or nothing if the bundle has no such store
	 */
	private String location(String name) {
		Path file = this.directory.resolve(name);
		return Files.exists(file) ? file.toString() : "";
	}

	String password() {
		return this.password;
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

}
