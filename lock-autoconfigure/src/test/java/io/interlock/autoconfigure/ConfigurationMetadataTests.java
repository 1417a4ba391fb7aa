package io.interlock.autoconfigure;

import java.io.InputStream;
import java.net.URL;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.StreamUtils;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the metadata that editors complete properties from.
 */
class ConfigurationMetadataTests {

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	@Test
	void everyPropertyIsDescribed() throws Exception {
		assertThat(properties()).hasSizeGreaterThan(20)
			.allSatisfy((property) -> assertThat(property.get("description")).as("%s", property.get("name"))
				.asString()
				.endsWith("."));
	}

	@Test
	void everySimplePropertyWithDefaultTellsIt() throws Exception {
		assertThat(properties()).filteredOn((property) -> !property.containsKey("defaultValue"))
			.extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrder("interlock.instance-id", "interlock.provider", "interlock.providers",
					"interlock.locks", "interlock.zookeeper.locks", "interlock.zookeeper.username",
					"interlock.zookeeper.password", "interlock.zookeeper.ssl.enabled", "interlock.zookeeper.ssl.bundle",
					"interlock.zookeeper.embedded.data-dir", "interlock.shutdown-timeout",
					"interlock.queue.max-waiting", "interlock.async.executor");
	}

	@SuppressWarnings("unchecked")
	static List<Map<String, Object>> properties() throws Exception {
		URL main = InterlockProperties.class.getProtectionDomain()
			.getCodeSource()
			.getLocation()
			.toURI()
			.resolve(METADATA)
			.toURL();
		try (InputStream metadata = main.openStream()) {
			String json = StreamUtils.copyToString(metadata, UTF_8);
			List<?> properties = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
			return ((List<Map<String, Object>>) properties).stream()
				.filter((property) -> property.get("name").toString().startsWith("interlock."))
				.toList();
		}
	}

}
