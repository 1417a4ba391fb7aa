package io.interlock.zookeeper.internal.client;

import java.util.List;
import java.util.Set;

import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.util.TestPropertyValues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ClientTls}.
 */
class ClientTlsTests {

	@Test
	void choosesSocketThatKnowsTls() {
		try (ClientTls tls = ClientTls.of(SslBundle.systemDefault(), null)) {
			assertThat(tls.config().getBoolean(ZKClientConfig.SECURE_CLIENT)).isTrue();
			assertThat(tls.config().getProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET))
				.isEqualTo("org.apache.zookeeper.ClientCnxnSocketNetty");
		}
	}

	@Test
	void setsNothingForOthers() {
		Set<String> before = System.getProperties().stringPropertyNames();
		try (ClientTls tls = ClientTls.of(SslBundle.systemDefault(), null)) {
			assertThat(new ZKClientConfig().getProperty(ZKClientConfig.SECURE_CLIENT)).isNull();
			assertThat(System.getProperties().stringPropertyNames()).filteredOn((name) -> name.startsWith("zookeeper."))
				.isSubsetOf(before);
			assertThat(tls.config()).isNotNull();
		}
	}

	@Test
	void doesNotTakeStoresFromSystemProperties() {
		TestPropertyValues
			.of("zookeeper.ssl.keyStore.location=/a.p12", "zookeeper.ssl.keyStore.passwordPath=/a",
					"zookeeper.ssl.trustStore.location=/b.p12", "zookeeper.ssl.trustStore.passwordPath=/b")
			.applyToSystemProperties(() -> {
				try (ClientTls tls = ClientTls.of(SslBundle.systemDefault(), null)) {
					assertThat(List.of("keyStore.location", "keyStore.passwordPath", "trustStore.location",
							"trustStore.passwordPath"))
						.allSatisfy((name) -> assertThat(tls.config().getProperty("zookeeper.ssl." + name)).isEmpty());
				}
				return null;
			});
	}

	@Test
	void takesOptionsOfBundle() {
		SslOptions options = SslOptions.of(Set.of("TLS_AES_256_GCM_SHA384"), Set.of("TLSv1.3"));
		try (ClientTls tls = ClientTls.of(SslBundle.of(SslStoreBundle.NONE, SslBundleKey.NONE, options), null)) {
			assertThat(tls.config().getProperty("zookeeper.ssl.enabledProtocols")).isEqualTo("TLSv1.3");
			assertThat(tls.config().getProperty("zookeeper.ssl.ciphersuites")).isEqualTo("TLS_AES_256_GCM_SHA384");
		}
	}

	@Test
	void leavesProtocolsAndCiphersToZooKeeperOtherwise() {
		try (ClientTls tls = ClientTls.of(SslBundle.systemDefault(), null)) {
			assertThat(tls.config().getProperty("zookeeper.ssl.enabledProtocols")).isNull();
			assertThat(tls.config().getProperty("zookeeper.ssl.ciphersuites")).isNull();
		}
	}

	@Test
	void takesNoOptionsFromSystemProperties() {
		TestPropertyValues
			.of("zookeeper.ssl.protocol=TLSv1", "zookeeper.ssl.enabledProtocols=TLSv1.1",
					"zookeeper.ssl.ciphersuites=TLS_RSA_WITH_AES_128_CBC_SHA",
					"zookeeper.ssl.context.supplier.class=com.example.Supplier",
					"zookeeper.ssl.hostnameVerification=false", "zookeeper.ssl.allowReverseDnsLookup=true")
			.applyToSystemProperties(() -> {
				try (ClientTls tls = ClientTls.of(SslBundle.systemDefault(), null)) {
					assertThat(List.of("protocol", "enabledProtocols", "ciphersuites", "context.supplier.class"))
						.allSatisfy((name) -> assertThat(tls.config().getProperty("zookeeper.ssl." + name)).isNull());
					assertThat(tls.config().getBoolean("zookeeper.ssl.hostnameVerification", false)).isTrue();
					assertThat(tls.config().getBoolean("zookeeper.ssl.allowReverseDnsLookup", true)).isFalse();
				}
				return null;
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "io.netty.handler", "io.netty.channel.epoll" })
	void saysWhichPartOfNettyIsMissing(String missing) {
		assertThatExceptionOfType(ZooKeeperStartupException.class)
			.isThrownBy(() -> ClientTls.checkLibraries(new FilteredClassLoader(missing)))
			.withMessageContaining("'" + missing)
			.satisfies((ex) -> assertThat(ex.getAction())
				.containsPattern("Add the dependency 'io.netty:netty-(handler|transport-classes-epoll)'"));
	}

}
