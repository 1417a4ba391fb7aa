package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.KeyStoreSpi;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the stores of {@link ClientTls}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientTlsStoresTests {

	private static Certificates alice;

	private static Certificates bob;

	@BeforeAll
	static void createKeys(@TempDir Path directory) throws Exception {
		alice = Certificates.create(directory, "alice", "localhost");
		bob = Certificates.create(directory, "bob", "localhost");
	}

	@Test
	void writesStoresOfPemBundle() throws Exception {
		PemSslStore keys = PemSslStore.of(List.of(certificate(alice)), (PrivateKey) alice.key());
		PemSslStore trusted = PemSslStore.of(null, List.of(certificate(alice), certificate(bob)), null);
		try (ClientTls stores = ClientTls.of(SslBundle.of(new PemSslStoreBundle(keys, trusted)), null)) {
			KeyStore keyStore = load(keyStore(stores), password(stores));
			assertThat(Collections.list(keyStore.aliases())).containsExactly("ssl");
			assertThat(keyStore.getKey("ssl", password(stores).toCharArray())).isEqualTo(alice.key());
			assertThat(keyStore.getCertificateChain("ssl")).containsExactly(alice.certificate());
			assertThat(certificates(load(trustStore(stores), password(stores))))
				.containsExactlyInAnyOrder(alice.certificate(), bob.certificate());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "JKS", "PKCS12" })
	void writesKeyThatBundleNames(String type) throws Exception {
		KeyStore source = store(type);
		source.setKeyEntry("alice", alice.key(), "key".toCharArray(), new Certificate[] { alice.certificate() });
		source.setKeyEntry("bob", bob.key(), "key".toCharArray(), new Certificate[] { bob.certificate() });
		SslBundle bundle = SslBundle.of(SslStoreBundle.of(source, "store", null), SslBundleKey.of("key", "bob"));
		try (ClientTls stores = ClientTls.of(bundle, null)) {
			KeyStore keyStore = load(keyStore(stores), password(stores));
			assertThat(Collections.list(keyStore.aliases())).containsExactly("bob");
			assertThat(keyStore.getKey("bob", password(stores).toCharArray())).isEqualTo(bob.key());
		}
	}

	@Test
	void keyHasPasswordOfStoreUnlessBundleTellsIt() throws Exception {
		KeyStore source = store("JKS");
		source.setKeyEntry("alice", alice.key(), "store".toCharArray(), new Certificate[] { alice.certificate() });
		try (ClientTls stores = ClientTls.of(SslBundle.of(SslStoreBundle.of(source, "store", null)), null)) {
			KeyStore keyStore = load(keyStore(stores), password(stores));
			assertThat(keyStore.getKey("alice", password(stores).toCharArray())).isEqualTo(alice.key());
		}
	}

	@Test
	void trustsCertificatesOfKeysToo() throws Exception {
		KeyStore source = store("PKCS12");
		source.setKeyEntry("alice", alice.key(), "key".toCharArray(), new Certificate[] { alice.certificate() });
		source.setCertificateEntry("bob", bob.certificate());
		try (ClientTls stores = ClientTls.of(SslBundle.of(SslStoreBundle.of(null, null, source)), null)) {
			KeyStore trustStore = load(trustStore(stores), password(stores));
			assertThat(certificates(trustStore)).containsExactlyInAnyOrder(alice.certificate(), bob.certificate());
			assertThat(trustStore.isKeyEntry("alice")).isFalse();
		}
	}

	@Test
	void hasNoLocationForStoresThatBundleHasNot() {
		try (ClientTls stores = ClientTls.of(SslBundle.systemDefault(), null)) {
			assertThat(keyStore(stores)).isEmpty();
			assertThat(trustStore(stores)).isEmpty();
		}
	}

	@Test
	void onlyOwnerMayReadFiles() throws Exception {
		Assumptions.assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
		try (ClientTls stores = ClientTls.of(trusting(alice), null)) {
			Path file = Path.of(trustStore(stores));
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
				.isEqualTo("rwx------");
		}
	}

	@Test
	void passwordsAreDifferent() {
		try (ClientTls one = ClientTls.of(trusting(alice), null);
				ClientTls other = ClientTls.of(trusting(alice), null)) {
			assertThat(password(one)).hasSize(64).isNotEqualTo(password(other));
		}
	}

	@Test
	void closeDeletesFiles() {
		ClientTls stores = ClientTls.of(trusting(alice), null);
		Path file = Path.of(trustStore(stores));
		stores.close();
		assertThat(file.getParent()).doesNotExist();
	}

	@Test
	void updateReplacesStores() throws Exception {
		try (ClientTls stores = ClientTls.of(trusting(alice), null)) {
			String location = trustStore(stores);
			stores.update(trusting(bob));
			assertThat(trustStore(stores)).isEqualTo(location);
			assertThat(certificates(load(location, password(stores)))).containsExactly(bob.certificate());
			try (Stream<Path> files = Files.list(Path.of(location).getParent())) {
				assertThat(files).hasSize(1);
			}
		}
	}

	@Test
	void updateThatFailsKeepsStores() throws Exception {
		try (ClientTls stores = ClientTls.of(trusting(alice), null)) {
			stores.update(unusable());
			assertThat(certificates(load(trustStore(stores), password(stores)))).containsExactly(alice.certificate());
		}
	}

	@Test
	void updateOfOneStoreThatFailsKeepsBoth(CapturedOutput output) throws Exception {
		try (ClientTls stores = ClientTls.of(keysOf(alice, trustStoreOf(alice)), null)) {
			stores.update(keysOf(bob, () -> {
				throw new IllegalStateException("No trust store");
			}));
			assertThat(load(keyStore(stores), password(stores)).getCertificate("ssl")).isEqualTo(alice.certificate());
			assertThat(certificates(load(trustStore(stores), password(stores)))).containsExactly(alice.certificate());
		}
		assertThat(output).contains("cannot be used: connections use the old one");
	}

	@Test
	void fileThatCannotBeReplacedKeepsBoth() throws Exception {
		try (ClientTls stores = ClientTls.of(keysOf(alice, trustStoreOf(alice)), null)) {
			byte[] keys = Files.readAllBytes(Path.of(keyStore(stores)));
			Path trusted = Path.of(trustStore(stores));
			Files.delete(trusted);
			Files.createDirectories(trusted.resolve("in-the-way"));
			stores.update(keysOf(bob, trustStoreOf(bob)));
			assertThat(Files.readAllBytes(Path.of(keyStore(stores)))).isEqualTo(keys);
		}
	}

	@Test
	void updateSaysWhatItReplaced(CapturedOutput output) {
		try (ClientTls stores = ClientTls.of(keysOf(alice, trustStoreOf(alice)), null)) {
			stores.update(keysOf(bob, trustStoreOf(bob)));
		}
		assertThat(output).contains("new connections use it", "key store replaced", "trust store replaced");
	}

	@Test
	void keyStoreThatAppearsIsUsed(CapturedOutput output) throws Exception {
		try (ClientTls stores = ClientTls.of(trusting(alice), null)) {
			assertThat(keyStore(stores)).isEmpty();
			stores.update(keysOf(bob, trustStoreOf(alice)));
			assertThat(load(keyStore(stores), password(stores)).getCertificate("ssl")).isEqualTo(bob.certificate());
		}
		assertThat(output).contains("key store added");
	}

	@Test
	void keyStoreThatVanishesIsNotUsed(CapturedOutput output) throws Exception {
		try (ClientTls stores = ClientTls.of(keysOf(alice, trustStoreOf(alice)), null)) {
			Path keys = Path.of(keyStore(stores));
			stores.update(trusting(bob));
			assertThat(keyStore(stores)).isEmpty();
			assertThat(keys).doesNotExist();
			assertThat(certificates(load(trustStore(stores), password(stores)))).containsExactly(bob.certificate());
		}
		assertThat(output).contains("key store removed");
	}

	@Test
	void trustStoreThatVanishesDoesNotWidenTrust(CapturedOutput output) throws Exception {
		try (ClientTls stores = ClientTls.of(keysOf(alice, trustStoreOf(alice)), null)) {
			stores.update(SslBundle.systemDefault());
			assertThat(load(keyStore(stores), password(stores)).getCertificate("ssl")).isEqualTo(alice.certificate());
			assertThat(certificates(load(trustStore(stores), password(stores)))).containsExactly(alice.certificate());
		}
		assertThat(output).contains("has no trust store any more", "connections use the old one");
	}

	private static SslBundle keysOf(Certificates owner, Supplier<KeyStore> trustStore) {
		KeyStore keys = new PemSslStoreBundle(PemSslStore.of(List.of(certificate(owner)), (PrivateKey) owner.key()),
				null)
			.getKeyStore();
		return SslBundle.of(new SslStoreBundle() {

			@Override
			public KeyStore getKeyStore() {
				return keys;
			}

			@Override
			public @Nullable String getKeyStorePassword() {
				return null;
			}

			@Override
			public KeyStore getTrustStore() {
				return trustStore.get();
			}

		});
	}

	private static Supplier<KeyStore> trustStoreOf(Certificates owner) {
		KeyStore store = trusting(owner).getStores().getTrustStore();
		return () -> store;
	}

	@Test
	void updateAfterCloseWritesNothing() {
		ClientTls stores = ClientTls.of(trusting(alice), null);
		Path directory = Path.of(trustStore(stores)).getParent();
		stores.close();
		stores.update(trusting(bob));
		assertThat(directory).doesNotExist();
	}

	@Test
	void unusableBundleIsReported() {
		assertThatExceptionOfType(ZooKeeperStartupException.class).isThrownBy(() -> ClientTls.of(unusable(), null))
			.withMessageStartingWith("The SSL bundle for ZooKeeper cannot be used: ")
			.satisfies((ex) -> assertThat(ex.getMessage().split(": ")).doesNotHaveDuplicates())
			.extracting(ZooKeeperStartupException::getAction)
			.asString()
			.contains("interlock.zookeeper.ssl.bundle", "password")
			.doesNotContain("hardware");
	}

	@Test
	void keyThatStaysInHardwareIsReported() throws Exception {
		SslBundle bundle = SslBundle.of(SslStoreBundle.of(new StoreInHardware(certificate(alice)), null, null));
		assertThatExceptionOfType(ZooKeeperStartupException.class).isThrownBy(() -> ClientTls.of(bundle, null))
			.withMessageContaining("the private key 'token' cannot be read")
			.extracting(ZooKeeperStartupException::getAction)
			.asString()
			.contains("interlock.zookeeper.ssl.bundle", "hardware")
			.doesNotContain("password");
	}

	private static String keyStore(ClientTls tls) {
		return tls.config().getProperty("zookeeper.ssl.keyStore.location");
	}

	private static String trustStore(ClientTls tls) {
		return tls.config().getProperty("zookeeper.ssl.trustStore.location");
	}

	private static String password(ClientTls tls) {
		String password = tls.config().getProperty("zookeeper.ssl.keyStore.password");
		assertThat(tls.config().getProperty("zookeeper.ssl.trustStore.password")).isEqualTo(password);
		return password;
	}

	private static SslBundle unusable() {
		try {
			KeyStore source = store("JKS");
			source.setKeyEntry("alice", alice.key(), "key".toCharArray(), new Certificate[] { alice.certificate() });
			return SslBundle.of(SslStoreBundle.of(source, "another", null));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static SslBundle trusting(Certificates owner) {
		return SslBundle
			.of(new PemSslStoreBundle((PemSslStore) null, PemSslStore.of(null, List.of(certificate(owner)), null)));
	}

	private static X509Certificate certificate(Certificates owner) {
		return (X509Certificate) owner.certificate();
	}

	private static KeyStore store(String type) throws Exception {
		KeyStore store = KeyStore.getInstance(type);
		store.load(null, null);
		return store;
	}

	private static KeyStore load(String location, @Nullable String password) throws Exception {
		KeyStore store = KeyStore.getInstance("PKCS12");
		try (InputStream input = Files.newInputStream(Path.of(location))) {
			store.load(input, password.toCharArray());
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		return store;
	}

	private static List<Certificate> certificates(KeyStore store) throws Exception {
		return Collections.list(store.aliases()).stream().map((alias) -> {
			try {
				return store.getCertificate(alias);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}).toList();
	}

	/** A store as that of a smart card: it uses its key and does not show it. */
	private static final class StoreInHardware extends KeyStore {

		StoreInHardware(X509Certificate certificate) throws Exception {
			super(spi(certificate), null, "token");
			load(null, null);
		}

		private static KeyStoreSpi spi(X509Certificate certificate) throws Exception {
			KeyStoreSpi spi = mock(KeyStoreSpi.class);
			given(spi.engineAliases()).willReturn(Collections.enumeration(List.of("token")));
			given(spi.engineIsKeyEntry("token")).willReturn(true);
			given(spi.engineGetKey("token", null)).willReturn(mock(PrivateKey.class));
			given(spi.engineGetCertificateChain("token")).willReturn(new Certificate[] { certificate });
			return spi;
		}

	}

}
