package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TlsStores} and {@link TlsEntries}.
 */
class TlsStoresTests {

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
		try (TlsStores stores = TlsStores.of(SslBundle.of(new PemSslStoreBundle(keys, trusted)))) {
			KeyStore keyStore = load(stores.keyStoreLocation(), stores.password());
			assertThat(Collections.list(keyStore.aliases())).containsExactly("ssl");
			assertThat(keyStore.getKey("ssl", stores.password().toCharArray())).isEqualTo(alice.key());
			assertThat(keyStore.getCertificateChain("ssl")).containsExactly(alice.certificate());
			assertThat(certificates(load(stores.trustStoreLocation(), stores.password())))
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
		try (TlsStores stores = TlsStores.of(bundle)) {
			KeyStore keyStore = load(stores.keyStoreLocation(), stores.password());
			assertThat(Collections.list(keyStore.aliases())).containsExactly("bob");
			assertThat(keyStore.getKey("bob", stores.password().toCharArray())).isEqualTo(bob.key());
		}
	}

	@Test
	void keyHasPasswordOfStoreUnlessBundleTellsIt() throws Exception {
		KeyStore source = store("JKS");
		source.setKeyEntry("alice", alice.key(), "store".toCharArray(), new Certificate[] { alice.certificate() });
		try (TlsStores stores = TlsStores.of(SslBundle.of(SslStoreBundle.of(source, "store", null)))) {
			KeyStore keyStore = load(stores.keyStoreLocation(), stores.password());
			assertThat(keyStore.getKey("alice", stores.password().toCharArray())).isEqualTo(alice.key());
		}
	}

	@Test
	void trustsCertificatesOfKeysToo() throws Exception {
		KeyStore source = store("PKCS12");
		source.setKeyEntry("alice", alice.key(), "key".toCharArray(), new Certificate[] { alice.certificate() });
		source.setCertificateEntry("bob", bob.certificate());
		try (TlsStores stores = TlsStores.of(SslBundle.of(SslStoreBundle.of(null, null, source)))) {
			KeyStore trustStore = load(stores.trustStoreLocation(), stores.password());
			assertThat(certificates(trustStore)).containsExactlyInAnyOrder(alice.certificate(), bob.certificate());
			assertThat(trustStore.isKeyEntry("alice")).isFalse();
		}
	}

	@Test
	void hasNoLocationForStoresThatBundleHasNot() {
		try (TlsStores stores = TlsStores.of(SslBundle.systemDefault())) {
			assertThat(stores.keyStoreLocation()).isEmpty();
			assertThat(stores.trustStoreLocation()).isEmpty();
		}
	}

	@Test
	void onlyOwnerMayReadFiles() throws Exception {
		Assumptions.assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
		try (TlsStores stores = TlsStores.of(trusting(alice))) {
			Path file = Path.of(stores.trustStoreLocation());
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
				.isEqualTo("rwx------");
		}
	}

	@Test
	void passwordsAreDifferent() {
		try (TlsStores one = TlsStores.of(trusting(alice)); TlsStores other = TlsStores.of(trusting(alice))) {
			assertThat(one.password()).hasSize(64).isNotEqualTo(other.password());
		}
	}

	@Test
	void closeDeletesFiles() {
		TlsStores stores = TlsStores.of(trusting(alice));
		Path file = Path.of(stores.trustStoreLocation());
		stores.close();
		assertThat(file.getParent()).doesNotExist();
	}

	@Test
	void updateReplacesStores() throws Exception {
		try (TlsStores stores = TlsStores.of(trusting(alice))) {
			String location = stores.trustStoreLocation();
			stores.update(trusting(bob));
			assertThat(stores.trustStoreLocation()).isEqualTo(location);
			assertThat(certificates(load(location, stores.password()))).containsExactly(bob.certificate());
			try (Stream<Path> files = Files.list(Path.of(location).getParent())) {
				assertThat(files).hasSize(1);
			}
		}
	}

	@Test
	void updateThatFailsKeepsStores() throws Exception {
		try (TlsStores stores = TlsStores.of(trusting(alice))) {
			stores.update(unusable());
			assertThat(certificates(load(stores.trustStoreLocation(), stores.password())))
				.containsExactly(alice.certificate());
		}
	}

	@Test
	void updateAfterCloseWritesNothing() {
		TlsStores stores = TlsStores.of(trusting(alice));
		Path directory = Path.of(stores.trustStoreLocation()).getParent();
		stores.close();
		stores.update(trusting(bob));
		assertThat(directory).doesNotExist();
	}

	@Test
	void unusableBundleIsReported() {
		assertThatExceptionOfType(ZooKeeperTlsException.class).isThrownBy(() -> TlsStores.of(unusable()))
			.withMessageStartingWith("The SSL bundle for ZooKeeper cannot be used: ")
			.extracting(ZooKeeperTlsException::getAction)
			.asString()
			.contains("interlock.zookeeper.ssl.bundle");
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

}
