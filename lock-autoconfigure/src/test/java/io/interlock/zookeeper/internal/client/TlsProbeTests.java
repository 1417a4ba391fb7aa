package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLSocket;

import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link TlsProbe} does not blame TLS for. What it finds is tested with
 * servers, in {@code TlsConnectionTests}.
 */
class TlsProbeTests {

	private static Certificates serverKey;

	@BeforeAll
	static void createKey(@TempDir Path directory) {
		serverKey = Certificates.create(directory, "server", "localhost");
	}

	@Test
	void findsNothingWhereTlsWorks() throws Exception {
		AtomicInteger handshakes = new AtomicInteger();
		try (ServerSocket server = tlsServer()) {
			serve(server, (connection) -> {
				((SSLSocket) connection).startHandshake();
				handshakes.incrementAndGet();
				connection.getInputStream().read();
			});
			// A machine that stands still may end a probe before its handshake.
			await().untilAsserted(() -> {
				assertThat(find(server)).isNull();
				assertThat(handshakes).hasPositiveValue();
			});
		}
	}

	@Test
	void doesNotBlameTlsForServerThatHangsUp() throws Exception {
		AtomicInteger connections = new AtomicInteger();
		try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			serve(server, (connection) -> connections.incrementAndGet());
			assertThat(find(server)).isNull();
			await().untilAsserted(() -> assertThat(connections).hasPositiveValue());
		}
	}

	private static TlsProbe.Finding find(ServerSocket server) {
		SslBundle bundle = SslBundle
			.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate(serverKey.certificatePem())));
		try (ClientTls tls = ClientTls.of(bundle, "zk")) {
			return new TlsProbe(tls.config(), "zk").find("localhost:" + server.getLocalPort());
		}
	}

	private static ServerSocket tlsServer() throws IOException {
		SslBundle bundle = SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(serverKey.certificatePem()).withPrivateKey(serverKey.keyPem()),
				null));
		return bundle.createSslContext().getServerSocketFactory().createServerSocket(0);
	}

	/** Serve one connection after the other until the server is closed. */
	private static void serve(ServerSocket server, Service service) {
		Background.start(() -> {
			while (!server.isClosed()) {
				try (Socket connection = server.accept()) {
					service.serve(connection);
				}
				catch (IOException ex) {
					// The next connection may succeed.
				}
			}
			return true;
		});
	}

	private interface Service {

		void serve(Socket connection) throws IOException;

	}

}
