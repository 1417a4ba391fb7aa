package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.client.Certificates;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * Locks over TLS, against servers in JVMs of their own.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsConnectionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(30));

	private static final LockRequest SHORT = LockRequest.exclusive("orders").withWaitTime(Duration.ofMillis(1500));

	private static Certificates serverKey;

	private static Certificates clientKey;

	private static Certificates otherHost;

	private static Certificates expired;

	/**
	 * Takes any client.
	 */
	private static Server server;

	/**
	 * Takes clients with a certificate only, which is who they are.
	 */
	private static Server strictServer;

	@BeforeAll
	static void startServers(@TempDir Path directory) throws Exception {
		serverKey = Certificates.create(directory, "server", "localhost");
		clientKey = Certificates.create(directory, "client", "localhost");
		otherHost = Certificates.create(directory, "elsewhere", "elsewhere.example");
		expired = Certificates.create(directory, "expired", "localhost").expired(serverKey, "localhost");
		server = Server.secure(directory.resolve("any"), settings("none"));
		strictServer = Server.secure(directory.resolve("strict"), settings("need").withJvmOptions(
				"-Dzookeeper.authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider"));
	}

	private static ServerSettings settings(String clientAuth) {
		return ServerSettings.quick()
			.with(Map.of("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
					"ssl.keyStore.location", serverKey.keyStore().toString(), "ssl.keyStore.password",
					Certificates.PASSWORD, "ssl.trustStore.location", clientKey.trustStore("PKCS12").toString(),
					"ssl.trustStore.type", "PKCS12", "ssl.trustStore.password", Certificates.PASSWORD, "ssl.clientAuth",
					clientAuth));
	}

	@AfterAll
	static void stopServers() {
		server.close();
		strictServer.close();
	}

	@Test
	void locksWithPemBundle() {
		client(server).withPropertyValues(pem(serverKey))
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void locksWithCertificateOfClientWhereServerDemandsOne() {
		client(strictServer).withPropertyValues(pem(serverKey))
			.withPropertyValues("spring.ssl.bundle.pem.zk.keystore.certificate=" + clientKey.certificatePem(),
					"spring.ssl.bundle.pem.zk.keystore.private-key=" + clientKey.keyPem())
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void locksWithJksBundleAndItsOptions() {
		client(strictServer).withPropertyValues(jks(serverKey))
			.withPropertyValues("spring.ssl.bundle.jks.zk.key.alias=client",
					"spring.ssl.bundle.jks.zk.options.enabled-protocols=TLSv1.3",
					"spring.ssl.bundle.jks.zk.options.ciphers=TLS_AES_128_GCM_SHA256")
			.run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void certificateOfClientOwnsLockNodes() {
		client(strictServer).withPropertyValues(jks(serverKey))
			.withPropertyValues("interlock.zookeeper.acl=creator-all", "interlock.zookeeper.root-path=/by-certificate")
			.run((context) -> {
				assertLocks(context.getBean(LockTemplate.class));
				assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/by-certificate/orders"))
					.extracting(ACL::getId)
					.containsExactly(new Id("x509", "CN=client"));
			});
	}

	@Test
	void certificateThatServerDoesNotAskForIsNoAuthentication() {
		client(server).withPropertyValues(jks(serverKey))
			.withPropertyValues("interlock.zookeeper.acl=creator-all", "interlock.zookeeper.root-path=/by-nobody",
					"interlock.startup-timeout=20s")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("has not authenticated this client"));
	}

	@Test
	void doesNotConnectWithoutCertificateWhereServerDemandsOne() {
		client(strictServer).withPropertyValues(pem(serverKey))
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void doesNotConnectToServerThatBundleDoesNotTrust() {
		client(server).withPropertyValues(pem(clientKey))
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	@Deep
	void doesNotConnectToServerThatJavaDoesNotTrust() {
		client(server).withPropertyValues("interlock.zookeeper.ssl.enabled=true", "interlock.zookeeper.ssl.bundle=")
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void doesNotConnectToSecurePortWithoutTls() {
		client(server).withPropertyValues(pem(serverKey))
			.withPropertyValues("interlock.zookeeper.ssl.enabled=false")
			.run((context) -> assertUnavailable(context.getBean(LockTemplate.class)));
	}

	@Test
	void connectsOnceBundleIsReloaded() {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk", trusting(clientKey));
		client(server).withBean(DefaultSslBundleRegistry.class, () -> bundles).run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			assertUnavailable(locks);
			bundles.updateBundle("zk", trusting(serverKey));
			assertLocks(locks);
		});
	}

	@Test
	void endsHandshakeWithHostThatCertificateDoesNotName() throws Exception {
		try (SSLServerSocket socket = socketOf(otherHost)) {
			client("localhost:" + socket.getLocalPort()).withPropertyValues(pem(otherHost)).run((context) -> {
				try (SSLSocket connection = (SSLSocket) socket.accept()) {
					// The alert, or the end of the connection that overtook it.
					assertThatIOException().isThrownBy(() -> readFrom(connection));
				}
			});
		}
	}

	@Test
	void completesHandshakeWithHostThatCertificateNames() throws Exception {
		try (SSLServerSocket socket = socketOf(serverKey)) {
			client("localhost:" + socket.getLocalPort()).withPropertyValues(pem(serverKey)).run((context) -> {
				try (SSLSocket connection = (SSLSocket) socket.accept()) {
					assertThatCode(() -> readFrom(connection)).doesNotThrowAnyException();
				}
			});
		}
	}

	@Test
	void tellsThatServerIsNotTrusted() {
		FailureAnalysis analysis = failureOfTls(client(server).withPropertyValues(pem(clientKey)));
		assertThat(analysis.getDescription())
			.contains("ZooKeeper at '" + server.connectString() + "' cannot be reached within the startup timeout")
			.contains("TLS with " + server.connectString() + " fails with the SSL bundle 'zk'")
			.contains("certification path");
		assertThat(analysis.getAction()).contains("trust store")
			.contains("interlock.zookeeper.ssl.bundle")
			.doesNotContain("Start ZooKeeper there");
	}

	@Test
	@Deep
	void tellsThatJavaDoesNotTrustServer() {
		FailureAnalysis analysis = failureOfTls(client(server)
			.withPropertyValues("interlock.zookeeper.ssl.enabled=true", "interlock.zookeeper.ssl.bundle="));
		assertThat(analysis.getDescription())
			.contains("TLS with " + server.connectString() + " fails without an SSL bundle")
			.contains("certification path");
	}

	@Test
	@Deep
	void tellsThatServerDemandsCertificate() {
		FailureAnalysis analysis = failureOfTls(client(strictServer).withPropertyValues(pem(serverKey)));
		// The alert, or the end of the connection that overtook it.
		assertThat(analysis.getDescription())
			.contains("TLS with " + strictServer.connectString() + " fails with the SSL bundle 'zk'");
		assertThat(analysis.getAction()).contains("key store").doesNotContain("Start ZooKeeper there");
	}

	@Test
	@Deep
	void tellsThatCertificateNamesAnotherHost() throws Exception {
		try (TlsServer other = new TlsServer(otherHost)) {
			FailureAnalysis analysis = failureOfTls(client(other.connectString()).withPropertyValues(pem(otherHost)));
			assertThat(analysis.getDescription()).contains("fails with the SSL bundle 'zk'")
				.contains("No subject alternative DNS name matching localhost found");
		}
	}

	@Test
	@Deep
	void tellsThatCertificateHasExpired() throws Exception {
		try (TlsServer other = new TlsServer(expired)) {
			FailureAnalysis analysis = failureOfTls(client(other.connectString()).withPropertyValues(pem(serverKey)));
			assertThat(analysis.getDescription()).contains("fails with the SSL bundle 'zk'")
				.contains("CertificateExpiredException");
		}
	}

	@Test
	void tellsThatServerSpeaksNoTls() throws Exception {
		try (TestingServer plain = new TestingServer()) {
			FailureAnalysis analysis = failureOfTls(
					client(plain.getConnectString()).withPropertyValues(pem(serverKey)));
			assertThat(analysis.getDescription()).contains(plain.getConnectString() + " answers without TLS")
				.contains("the SSL bundle 'zk'");
			assertThat(analysis.getAction()).contains("interlock.zookeeper.connect-string")
				.contains("interlock.zookeeper.ssl")
				.doesNotContain("Start ZooKeeper there");
		}
	}

	@Test
	@Deep
	void tellsThatServerSpeaksTls() {
		FailureAnalysis analysis = failureOfTls(
				client(server).withPropertyValues("interlock.zookeeper.ssl.enabled=false"));
		assertThat(analysis.getDescription()).contains(server.connectString() + " speaks TLS");
		assertThat(analysis.getAction()).contains("interlock.zookeeper.ssl.bundle")
			.contains("interlock.zookeeper.connect-string")
			.doesNotContain("Start ZooKeeper there");
	}

	@Test
	@Deep
	void asksEachServer() {
		String servers = "localhost:" + Ports.free() + "," + server.connectString();
		assertThat(failureOfTls(client(servers).withPropertyValues(pem(clientKey))).getDescription())
			.contains("TLS with " + server.connectString() + " fails");
	}

	@Test
	@Deep
	void doesNotBlameTlsForServerThatIsDown() {
		FailureAnalysis analysis = failure(client("localhost:" + Ports.free()).withPropertyValues(pem(serverKey)));
		assertThat(analysis.getDescription()).endsWith("cannot be reached within the startup timeout of 500 ms.");
		assertThat(analysis.getAction()).contains("Start ZooKeeper there");
	}

	@Test
	@Deep
	void doesNotBlameTlsForServerThatIsSilent() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			FailureAnalysis analysis = failure(
					client("localhost:" + silent.getLocalPort()).withPropertyValues(pem(serverKey)));
			assertThat(analysis.getDescription()).endsWith("cannot be reached within the startup timeout of 500 ms.");
		}
	}

	@Test
	@Deep
	void warnsOfFailureOfTlsWithoutStartupTimeout(CapturedOutput output) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			int before = output.length();
			client(server).withPropertyValues(pem(clientKey))
				.run((context) -> await().atMost(Duration.ofSeconds(20))
					.until(() -> output.toString().substring(before).contains("cannot be reached")));
			assertThat(output)
				.containsPattern("WARN.*cannot be reached: TLS with .* fails with the SSL bundle 'zk'.*trust store");
		});
	}

	@Test
	void tellsThatPasswordOfStoreIsWrong() {
		FailureAnalysis analysis = failure(client(server).withPropertyValues(jks(serverKey))
			.withPropertyValues("spring.ssl.bundle.jks.zk.truststore.password=wrong-secret"));
		assertThat(analysis.getDescription()).startsWith("The SSL bundle 'zk' for ZooKeeper cannot be used: ")
			.contains("password was incorrect");
		assertThat(analysis.getAction()).contains("spring.ssl.bundle")
			.contains("password")
			.doesNotContain("hardware")
			.doesNotContain("wrong-secret");
	}

	/**
	 * Start until TLS is blamed: a probe waits for a second, which may be too short on a
	 * machine that stands still.
	 */
	private static FailureAnalysis failureOfTls(ApplicationContextRunner client) {
		return await().atMost(PATIENCE)
			.until(() -> failure(client), (analysis) -> !analysis.getDescription().endsWith(" 500 ms."));
	}

	private static FailureAnalysis failure(ApplicationContextRunner client) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		client.withPropertyValues("interlock.startup-timeout=500ms")
			.run((context) -> analysis.set(new ZooKeeperStartupFailureAnalyzer().analyze(context.getStartupFailure())));
		assertThat(analysis.get()).isNotNull();
		return analysis.get();
	}

	private static ApplicationContextRunner client(Server server) {
		return client(server.connectString());
	}

	private static ApplicationContextRunner client(String connectString) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, CuratorAutoConfiguration.class,
					InterlockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + connectString,
					"interlock.zookeeper.ssl.bundle=zk", "interlock.zookeeper.connection-timeout=20s");
	}

	private static String[] pem(Certificates trusted) {
		return new String[] { "spring.ssl.bundle.pem.zk.truststore.certificate=" + trusted.certificatePem() };
	}

	private static String[] jks(Certificates trusted) {
		return new String[] { "spring.ssl.bundle.jks.zk.truststore.location=file:" + trusted.trustStore("JKS"),
				"spring.ssl.bundle.jks.zk.truststore.type=JKS",
				"spring.ssl.bundle.jks.zk.truststore.password=" + Certificates.PASSWORD,
				"spring.ssl.bundle.jks.zk.keystore.location=file:" + clientKey.keyStore(),
				"spring.ssl.bundle.jks.zk.keystore.type=PKCS12",
				"spring.ssl.bundle.jks.zk.keystore.password=" + Certificates.PASSWORD };
	}

	private static SslBundle trusting(Certificates trusted) {
		return SslBundle.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(trusted.certificatePem())));
	}

	private static SSLServerSocket socketOf(Certificates owner) throws Exception {
		SslBundle bundle = SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(owner.certificatePem()).withPrivateKey(owner.keyPem()), null));
		SSLServerSocket socket = (SSLServerSocket) bundle.createSslContext()
			.getServerSocketFactory()
			.createServerSocket(0);
		socket.setSoTimeout(20_000);
		return socket;
	}

	/**
	 * Shakes hands with every client, and says no more.
	 */
	private static final class TlsServer implements AutoCloseable {

		private final SSLServerSocket socket;

		TlsServer(Certificates owner) throws Exception {
			this.socket = socketOf(owner);
			this.socket.setSoTimeout(0);
			Background.start(this::serve);
		}

		private Void serve() {
			while (true) {
				try (SSLSocket connection = (SSLSocket) this.socket.accept()) {
					readFrom(connection);
				}
				catch (IOException ex) {
					if (this.socket.isClosed()) {
						return null;
					}
				}
			}
		}

		String connectString() {
			return "localhost:" + this.socket.getLocalPort();
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

	private static void readFrom(SSLSocket connection) throws IOException {
		connection.setSoTimeout(20_000);
		connection.startHandshake();
		connection.getInputStream().read();
	}

	private static void assertLocks(LockTemplate locks) {
		try (LockHandle lock = locks.acquire(ORDERS)) {
			lock.verify();
			assertThat(lock.isValid()).isTrue();
		}
	}

	private static void assertUnavailable(LockTemplate locks) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> locks.acquire(SHORT));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("before the connection timeout")
			.isBetween(Duration.ofMillis(1400), Duration.ofSeconds(19));
	}

}
