package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the Kubernetes manifest, by what it says. {@link KubernetesSecurityTests}
 * runs a server with the settings in it.
 */
class KubernetesManifestTests {

	static final Path FILE = Path.of("..", "deploy", "kubernetes", "interlock.yaml");

	private static final Map<String, String> API_VERSIONS = Map.of("Service", "v1", "NetworkPolicy",
			"networking.k8s.io/v1", "PodDisruptionBudget", "policy/v1", "StatefulSet", "apps/v1", "Deployment",
			"apps/v1");

	private final List<Tree> documents;

	KubernetesManifestTests() throws IOException {
		this.documents = Tree.documents(FILE);
	}

	@Test
	void everyDocumentHasItsVersionAndAName() {
		assertThat(this.documents)
			.extracting((document) -> document.at("kind").text() + " " + document.at("metadata", "name").text())
			.containsExactlyInAnyOrder("Service zookeeper", "NetworkPolicy zookeeper", "NetworkPolicy orders",
					"PodDisruptionBudget zookeeper", "PodDisruptionBudget orders", "StatefulSet zookeeper",
					"Deployment orders");
		assertThat(this.documents).allSatisfy((document) -> {
			assertThat(document.at("apiVersion").text()).isEqualTo(API_VERSIONS.get(document.at("kind").text()));
			assertThat(document.fields()).containsExactlyInAnyOrder("apiVersion", "kind", "metadata", "spec");
		});
	}

	@ParameterizedTest
	@CsvSource({ "StatefulSet, zookeeper", "Deployment, orders" })
	void selectorsMatchTheLabelsOfPods(String kind, String app) {
		Tree labels = only(kind).at("spec", "template", "metadata", "labels");
		assertThat(labels.value()).isEqualTo(Map.of("app", app));
		assertThat(only(kind).at("spec", "selector", "matchLabels")).isEqualTo(labels);
	}

	@Test
	void everythingAboutTheServersSelectsTheirPods() {
		Tree labels = only("StatefulSet").at("spec", "template", "metadata", "labels");
		assertThat(only("Service").at("spec", "selector")).isEqualTo(labels);
		assertThat(only("StatefulSet").at("spec", "serviceName").text())
			.isEqualTo(only("Service").at("metadata", "name").text());
		assertThat(only("Service").at("spec", "clusterIP").text()).isEqualTo("None");
	}

	@ParameterizedTest
	@CsvSource({ "StatefulSet, zookeeper", "Deployment, orders" })
	void disruptionLeavesAllButOnePodAndPolicySelectsThem(String kind, String app) {
		Tree labels = only(kind).at("spec", "template", "metadata", "labels");
		Tree budget = named("PodDisruptionBudget", app).at("spec");
		assertThat(budget.at("selector", "matchLabels")).isEqualTo(labels);
		assertThat(budget.at("maxUnavailable").text()).isEqualTo("1");
		assertThat(Integer.parseInt(only(kind).at("spec", "replicas").text())).isGreaterThan(1);
		assertThat(named("NetworkPolicy", app).at("spec", "podSelector", "matchLabels")).isEqualTo(labels);
	}

	@Test
	void portsOfServiceContainerAndPolicyAreTheSame() {
		Map<String, String> container = ports(container("StatefulSet").at("ports"), "containerPort");
		assertThat(container).containsOnlyKeys("client", "follower", "election", "metrics");
		assertThat(ports(only("Service").at("spec", "ports"), "port")).isEqualTo(container);
		assertThat(openPorts("zookeeper")).containsExactlyInAnyOrderElementsOf(container.keySet());
		assertThat(openPorts("orders"))
			.containsExactlyElementsOf(ports(container("Deployment").at("ports"), "containerPort").keySet());
	}

	private List<String> openPorts(String app) {
		List<Tree> rules = named("NetworkPolicy", app).at("spec", "ingress").items();
		assertThat(rules).allSatisfy((rule) -> assertThat(rule.at("from").items()).isNotEmpty());
		return rules.stream()
			.flatMap((rule) -> rule.at("ports").items().stream())
			.map((port) -> port.at("port").text())
			.toList();
	}

	@Test
	void serversBeginConnectionsToServersOnly() {
		Tree policy = named("NetworkPolicy", "zookeeper").at("spec");
		assertThat(policy.at("policyTypes").texts()).containsExactly("Ingress", "Egress");
		List<Tree> rules = policy.at("egress").items();
		assertThat(rules).hasSize(2);
		assertThat(rules.get(0).at("to").items()).singleElement()
			.satisfies((to) -> assertThat(to.at("podSelector")).isEqualTo(policy.at("podSelector")));
		assertThat(rules.get(0).at("ports").items()).extracting((port) -> port.at("port").text())
			.containsExactly("follower", "election");
		assertThat(rules.get(1).at("ports").items()).extracting((port) -> port.at("port").text()).containsOnly("53");
	}

	@Test
	void onlyTheApplicationReachesThePortOfClients() {
		List<Tree> rules = named("NetworkPolicy", "zookeeper").at("spec", "ingress").items();
		assertThat(rules)
			.filteredOn(
					(rule) -> rule.at("ports").items().stream().anyMatch((p) -> p.at("port").text().equals("client")))
			.singleElement()
			.satisfies((rule) -> assertThat(rule.at("from").items()).singleElement()
				.satisfies((from) -> assertThat(from.at("podSelector", "matchLabels"))
					.isEqualTo(only("Deployment").at("spec", "template", "metadata", "labels"))));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void zooKeeperReadsTheConfigurationOfEachServer(int id, @TempDir Path directory) throws Exception {
		ZooKeeperImage image = image();
		QuorumPeerConfig config = image.read(directory, id);
		String service = only("StatefulSet").at("spec", "serviceName").text();
		assertThat(config.getServers()).hasSize(Integer.parseInt(only("StatefulSet").at("spec", "replicas").text()));
		assertThat(config.getServers().get((long) id).addr.getOne().getHostString())
			.isEqualTo("zookeeper-%d.%s".formatted(id - 1, service));
		Map<String, String> ports = ports(container("StatefulSet").at("ports"), "containerPort");
		assertThat(config.getSecureClientPortAddress().getPort()).hasToString(ports.get("client"));
		assertThat(config.getClientPortAddress().getAddress().isLoopbackAddress()).isTrue();
		assertThat(config.getMetricsProviderConfiguration()).containsEntry("httpPort", ports.get("metrics"));
		assertThat(config.getPurgeInterval()).isPositive();
		assertThat(image.settings()).containsEntry("admin.enableServer", "false")
			.containsEntry("enforce.auth.enabled", "true")
			.containsEntry("4lw.commands.whitelist", "srvr");
	}

	@Test
	void serversProtectEmptyNodes() {
		assertThat(ZooKeeperImage.protectsEmptyNodes(container("StatefulSet").at("image").text())).isTrue();
	}

	@Test
	void heapLeavesHalfOfTheLimitToTheRestOfTheVirtualMachine() {
		String limit = container("StatefulSet").at("resources", "limits", "memory").text();
		assertThat(limit).endsWith("Gi");
		assertThat(image().heapInMegabytes()).isLessThanOrEqualTo(Integer.parseInt(limit.replace("Gi", "")) * 512);
	}

	@ParameterizedTest
	@ValueSource(strings = { "StatefulSet", "Deployment" })
	void containersHaveNoMoreRightsThanTheyNeed(String kind) {
		Tree pod = only(kind).at("spec", "template", "spec");
		assertThat(pod.at("automountServiceAccountToken").text()).isEqualTo("false");
		assertThat(pod.at("securityContext", "runAsNonRoot").text()).isEqualTo("true");
		assertThat(pod.at("securityContext", "seccompProfile", "type").text()).isEqualTo("RuntimeDefault");
		assertThat(container(kind).at("securityContext", "allowPrivilegeEscalation").text()).isEqualTo("false");
		assertThat(container(kind).at("securityContext", "capabilities", "drop").texts()).containsExactly("ALL");
		assertThat(container(kind).at("securityContext", "readOnlyRootFilesystem").text()).isEqualTo("true");
	}

	@ParameterizedTest
	@ValueSource(strings = { "StatefulSet", "Deployment" })
	void containersHaveTheMemoryThatTheyAskForAndNoLimitOfProcessorTime(String kind) {
		Tree resources = container(kind).at("resources");
		assertThat(resources.at("requests").fields()).containsExactly("cpu", "memory");
		assertThat(resources.at("limits").fields()).containsExactly("memory");
		assertThat(resources.at("limits", "memory")).isEqualTo(resources.at("requests", "memory"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "StatefulSet", "Deployment" })
	void imagesHaveAVersionAndNoTagThatMoves(String kind) {
		assertThat(container(kind).at("image").text()).matches(".+:\\d+\\.\\d+\\.\\d+(@sha256:[0-9a-f]{64})?");
	}

	@ParameterizedTest
	@ValueSource(strings = { "StatefulSet", "Deployment" })
	void probesAskPortsThatThereAre(String kind) {
		Set<String> ports = ports(container(kind).at("ports"), "containerPort").keySet();
		assertThat(Stream.of("startupProbe", "livenessProbe").map(container(kind)::at)).allSatisfy((probe) -> {
			assertThat(probe.at("httpGet", "port").text()).isIn(ports);
			assertThat(probe.at("periodSeconds").exists()).isTrue();
		});
		assertThat(container(kind).at("readinessProbe").exists()).isTrue();
	}

	@Test
	void onlyReadinessAsksForAQuorum() {
		Tree server = container("StatefulSet");
		assertThat(server.at("readinessProbe", "exec", "command").texts()).containsExactly("zkServer.sh", "status");
		assertThat(server.at("livenessProbe").value().toString()).doesNotContain("zkServer.sh");
		assertThat(server.at("startupProbe").value().toString()).doesNotContain("zkServer.sh");
	}

	@Test
	void serversWriteTheirConfigurationBesideTheReadOnlyRoot() {
		Map<String, String> environment = environment("StatefulSet");
		String directory = environment.get("ZOO_CONF_DIR");
		assertThat(environment).containsEntry("ZOOCFGDIR", directory);
		assertThat(container("StatefulSet").at("volumeMounts").items())
			.filteredOn((mount) -> mount.at("mountPath").text().equals(directory))
			.singleElement()
			.satisfies((mount) -> assertThat(mount.at("readOnly").exists()).isFalse());
		assertThat(container("StatefulSet").at("command").texts().get(2)).startsWith("cp /conf/* \"$ZOO_CONF_DIR\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "StatefulSet", "Deployment" })
	void everyMountHasItsVolume(String kind) {
		Set<String> volumes = Stream
			.of(only(kind).at("spec", "template", "spec", "volumes").items().stream().map((v) -> v.at("name")),
					only(kind).at("spec", "volumeClaimTemplates").items().stream().map((v) -> v.at("metadata", "name")))
			.flatMap((names) -> names.map(Tree::text))
			.collect(Collectors.toSet());
		assertThat(container(kind).at("volumeMounts").items()).extracting((mount) -> mount.at("name").text())
			.containsExactlyInAnyOrderElementsOf(volumes);
	}

	@Test
	void variablesOfTheApplicationAreProperties() throws IOException {
		ApplicationProperties properties = ApplicationProperties.load();
		assertThat(container("Deployment").at("env").items()).extracting((variable) -> variable.at("name").text())
			.isNotEmpty()
			.allMatch(properties::binds);
	}

	@Test
	void applicationConnectsToThePortWithTls() {
		String servers = image().settings()
			.entrySet()
			.stream()
			.filter((setting) -> setting.getKey().startsWith("server."))
			.sorted(Map.Entry.comparingByKey())
			.map((setting) -> setting.getValue().substring(0, setting.getValue().indexOf(':')) + ":"
					+ image().settings().get("secureClientPort"))
			.collect(Collectors.joining(","));
		assertThat(environment("Deployment")).containsEntry("INTERLOCK_ZOOKEEPER_CONNECTSTRING", servers)
			.containsEntry("INTERLOCK_ZOOKEEPER_ACL", "creator-all")
			.containsEntry("INTERLOCK_ZOOKEEPER_REQUIRESECURE", "true");
		assertThat(container("Deployment").at("env").named("INTERLOCK_ZOOKEEPER_PASSWORD"))
			.hasValueSatisfying((password) -> assertThat(password.at("valueFrom", "secretKeyRef").exists()).isTrue());
	}

	ZooKeeperImage image() {
		return ZooKeeperImage.with(environment("StatefulSet"));
	}

	/**
	 * Return the variables that have a value in the manifest.
	 */
	Map<String, String> environment(String kind) {
		Map<String, String> environment = new LinkedHashMap<>();
		container(kind).at("env")
			.items()
			.stream()
			.filter((variable) -> variable.at("value").exists())
			.forEach((variable) -> environment.put(variable.at("name").text(), variable.at("value").text()));
		return environment;
	}

	private Tree container(String kind) {
		return only(kind).at("spec", "template", "spec", "containers").items().get(0);
	}

	private Tree only(String kind) {
		return this.documents.stream()
			.filter((document) -> document.at("kind").text().equals(kind))
			.findFirst()
			.orElseGet(() -> new Tree(null));
	}

	private Tree named(String kind, String name) {
		return this.documents.stream()
			.filter((document) -> document.at("kind").text().equals(kind))
			.filter((document) -> document.at("metadata", "name").text().equals(name))
			.findFirst()
			.orElseGet(() -> new Tree(null));
	}

	private static Map<String, String> ports(Tree list, String field) {
		return list.items()
			.stream()
			.collect(Collectors.toMap((port) -> port.at("name").text(), (port) -> port.at(field).text()));
	}

}
