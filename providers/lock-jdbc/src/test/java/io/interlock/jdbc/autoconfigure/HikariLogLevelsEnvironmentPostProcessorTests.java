package io.interlock.jdbc.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class HikariLogLevelsEnvironmentPostProcessorTests {

	private static String levelOfPool(Map<String, Object> ofApplication) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("application", ofApplication));
		new HikariLogLevelsEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
		return environment.getProperty("logging.level.com.zaxxer.hikari.pool.PoolBase", "none");
	}

	@Test
	void poolThatCannotConnectPrintsNoStacks() {
		assertThat(levelOfPool(Map.of())).isEqualTo("error");
	}

	@Test
	void levelOfTheApplicationWins() {
		assertThat(levelOfPool(Map.of("logging.level.com.zaxxer.hikari", "warn"))).isEqualTo("none");
	}

}
