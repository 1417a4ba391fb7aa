package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the Compose file, by what it says. {@link ComposeUpTests} runs it.
 */
class ComposeTests {

	static final Path FILE = Path.of("..", "deploy", "compose", "compose.yaml");

	private static final List<String> INSTANCES = List.of("box-office", "box-office-2");

	private static final List<String> SERVERS = List.of("zoo1", "zoo2", "zoo3");

	private final Tree compose;

	ComposeTests() throws IOException {
		this.compose = Tree.documents(FILE).get(0);
	}

	@Test
	void instancesShareTheHomeWithThePasswordOfTheDatabase() {
		for (String instance : INSTANCES) {
			Tree service = service(instance);
			String home = service.at("command")
				.texts()
				.stream()
				.filter((argument) -> argument.startsWith("-Duser.home="))
				.map((argument) -> argument.substring("-Duser.home=".length()))
				.findFirst()
				.orElseThrow();
			assertThat(service.at("volumes").texts()).as(instance).contains("box-office:" + home);
		}
		assertThat(this.compose.at("volumes").fields()).contains("box-office");
	}

	@Test
	void secondInstanceReachesTheDatabaseOnTheLoopbackInterfaceOfTheFirst() {
		assertThat(service("box-office-2").at("network_mode").text()).isEqualTo("service:box-office");
		assertThat(service("box-office-2").at("environment", "SPRING_PROFILES_ACTIVE").text()).isEqualTo("join");
	}

	@Test
	void secondInstanceStartsWhenTheFirstHasWrittenThePassword() {
		assertThat(service("box-office-2").at("depends_on", "box-office", "condition").text())
			.isEqualTo("service_healthy");
		assertThat(service("box-office").at("healthcheck", "test").text()).contains("/actuator/health");
	}

	@Test
	void instancesWaitForServersThatServe() {
		for (String server : SERVERS) {
			assertThat(service("box-office").at("depends_on", server, "condition").text()).as(server)
				.isEqualTo("service_healthy");
			assertThat(service(server).at("healthcheck", "test").text()).as(server).contains("zkServer.sh status");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "box-office", "box-office-2" })
	void variablesOfAnInstanceAreProperties(String instance) throws IOException {
		ApplicationProperties properties = ApplicationProperties.load();
		assertThat(service(instance).at("environment").fields()).isNotEmpty().allMatch(properties::binds);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void zooKeeperReadsTheConfigurationOfEachServer(int id, @TempDir Path directory) throws Exception {
		Tree server = service("zoo" + id);
		assertThat(server.at("environment", "ZOO_MY_ID").text()).isEqualTo(Integer.toString(id));
		Map<String, String> environment = new LinkedHashMap<>();
		server.at("environment")
			.fields()
			.forEach((name) -> environment.put(name, server.at("environment", name).text()));
		ZooKeeperImage image = ZooKeeperImage.with(environment);
		QuorumPeerConfig config = image.read(directory, id);
		assertThat(config.getServers().values()).extracting((peer) -> peer.addr.getOne().getHostString())
			.containsExactlyInAnyOrderElementsOf(SERVERS);
		assertThat(config.getClientPortAddress().getPort()).isEqualTo(2181);
		assertThat(config.getPurgeInterval()).isPositive();
		assertThat(image.settings()).containsEntry("admin.enableServer", "false");
		assertThat(config.getMetricsProviderConfiguration()).containsEntry("httpPort", "7000");
	}

	@ParameterizedTest
	@ValueSource(strings = { "zoo1", "zoo2", "zoo3" })
	void serversProtectEmptyNodes(String server) {
		assertThat(ZooKeeperImage.protectsEmptyNodes(service(server).at("image").text())).isTrue();
	}

	@Test
	void mountedFilesAreThere() throws IOException {
		List<Path> mounted = this.compose.at("services")
			.fields()
			.stream()
			.flatMap((service) -> service(service).at("volumes").texts().stream())
			.filter((volume) -> volume.startsWith("."))
			.map((volume) -> FILE.resolveSibling(volume.substring(0, volume.indexOf(':'))).normalize())
			.distinct()
			.toList();
		assertThat(mounted).hasSizeGreaterThan(4)
			.filteredOn((file) -> !file.toString().contains("target"))
			.allMatch(Files::exists);
		assertThat(mounted).filteredOn((file) -> file.toString().contains("target"))
			.singleElement()
			.satisfies((jar) -> assertThat(Files.readString(Path.of("pom.xml"))).contains("<version>%s</version>"
				.formatted(jar.getFileName().toString().replace("sample-app-", "").replace(".jar", ""))));
	}

	@Test
	void nothingIsReachableFromOtherMachines() {
		Stream<String> ports = this.compose.at("services")
			.fields()
			.stream()
			.flatMap((service) -> service(service).at("ports").texts().stream());
		assertThat(ports).hasSize(4).allMatch((port) -> port.startsWith("127.0.0.1:"));
	}

	private Tree service(String name) {
		return this.compose.at("services", name);
	}

}
