package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A key with a certificate that it has signed itself, made for one run of the tests.
 */
public record Certificates(Path keyStore, String alias) {

	public static final String PASSWORD = "changeit";

	/**
	 * Make a key.
	 * @param directory where to keep it
	 * @param alias its alias, and the name of its owner
	 * @param host the host that it belongs to
	 * @return the key
	 */
	public static Certificates create(Path directory, String alias, String host) {
		Path keyStore = directory.resolve(alias + ".p12");
		keytool(keyStore, "-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname", "secp256r1", "-dname",
				"CN=" + alias, "-ext", "san=dns:" + host, "-ext", "bc=ca:true", "-validity", "36500");
		return new Certificates(keyStore, alias);
	}

	private static void keytool(Path keyStore, String... options) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
		command.add("-J-XX:TieredStopAtLevel=1");
		command.addAll(List.of(options));
		command.addAll(List.of("-storetype", "PKCS12", "-keystore", keyStore.toString(), "-storepass", PASSWORD));
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (process.waitFor() != 0) {
				throw new IllegalStateException(output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Write a store with the certificate and nothing else.
	 * @param type type of the store
	 * @return the file
	 */
	public Path trustStore(String type) {
		try {
			KeyStore store = KeyStore.getInstance(type);
			store.load(null, null);
			store.setCertificateEntry(this.alias, certificate());
			Path file = this.keyStore.resolveSibling(this.alias + "-trust." + type);
			try (OutputStream output = Files.newOutputStream(file)) {
				store.store(output, PASSWORD.toCharArray());
			}
			return file;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public String certificatePem() {
		try {
			return pem("CERTIFICATE", certificate().getEncoded());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public String keyPem() {
		return pem("PRIVATE KEY", key().getEncoded());
	}

	public Key key() {
		try {
			return load().getKey(this.alias, PASSWORD.toCharArray());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public Certificate certificate() {
		try {
			return load().getCertificate(this.alias);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private KeyStore load() {
		try (InputStream input = Files.newInputStream(this.keyStore)) {
			KeyStore store = KeyStore.getInstance("PKCS12");
			store.load(input, PASSWORD.toCharArray());
			return store;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String pem(String type, byte[] content) {
		String base64 = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, base64);
	}

}
