package io.interlock.test;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link AutoConfigureTestLocks} warns of nothing that it has brought about
 * itself.
 */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(classes = WarningsInTestsTests.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@TestPropertySource(properties = { "interlock.provider=zookeeper", "interlock.zookeeper.acl=creator-all",
		"interlock.zookeeper.lock-data=minimal", "interlock.zookeeper.connect-string=localhost:1" })
@AutoConfigureTestLocks
class WarningsInTestsTests {

	@Test
	void propertiesOfTheStoreAreLeftAlone(CapturedOutput output) {
		assertThat(output.toString()).contains("Started WarningsInTestsTests");
		assertThat(output.toString().lines()).noneMatch((line) -> line.contains(" WARN ") && line.contains(" i.i."));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
