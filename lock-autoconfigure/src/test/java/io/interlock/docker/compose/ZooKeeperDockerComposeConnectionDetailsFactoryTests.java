package io.interlock.docker.compose;

import java.util.Map;

import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ZooKeeperDockerComposeConnectionDetailsFactory}, found as Boot finds
 * it.
 */
class ZooKeeperDockerComposeConnectionDetailsFactoryTests {

	private static final String CONNECTION_LABEL = "org.springframework.boot.service-connection";

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "zookeeper:3.9.5", "library/zookeeper:3.9.5", "docker.io/zookeeper:3.9.5" })
	void suppliesConnectionDetailsForImage(String image) {
		assertThat(connectionDetails(image, Map.of())).isInstanceOfSatisfying(ZooKeeperConnectionDetails.class,
				(details) -> {
					assertThat(details.connectString()).isEqualTo("compose.test:49152");
					assertThat(details.ensembleTracker()).isFalse();
					assertThat(details.username()).isNull();
				});
	}

	@Test
	void suppliesConnectionDetailsForLabel() {
		assertThat(connectionDetails("bitnami/zookeeper:3.9", Map.of(CONNECTION_LABEL, "zookeeper")))
			.isInstanceOf(ZooKeeperConnectionDetails.class);
	}

	@Test
	void ignoresOtherImages() {
		assertThat(connectionDetails("redis:8", Map.of())).isNull();
	}

	private static ConnectionDetails connectionDetails(String image, Map<String, String> labels) {
		ConnectionPorts ports = mock(ConnectionPorts.class);
		given(ports.get(2181)).willReturn(49152);
		RunningService service = mock(RunningService.class);
		given(service.image()).willReturn(ImageReference.of(image));
		given(service.labels()).willReturn(labels);
		given(service.host()).willReturn("compose.test");
		given(service.ports()).willReturn(ports);
		DockerComposeConnectionSource source = mock(DockerComposeConnectionSource.class);
		given(source.getRunningService()).willReturn(service);
		return new ConnectionDetailsFactories(null).getConnectionDetails(source, false)
			.get(ZooKeeperConnectionDetails.class);
	}

}
