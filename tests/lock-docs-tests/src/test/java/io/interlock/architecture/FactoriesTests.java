package io.interlock.architecture;

import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the factories files name can be loaded and is of the type that is asked for.
 */
class FactoriesTests {

	@ParameterizedTest
	@ValueSource(strings = { "META-INF/spring.factories", "META-INF/spring/aot.factories" })
	void implementationsAreOfTheirType(String location) throws IOException {
		Properties factories = new Properties();
		factories.load(new StringReader(MainOutput.read(location)));
		assertThat(factories.stringPropertyNames()).isNotEmpty().allSatisfy((type) -> {
			String[] implementations = StringUtils.commaDelimitedListToStringArray(factories.getProperty(type));
			assertThat(implementations).isNotEmpty()
				.isSorted()
				.allSatisfy((name) -> assertThat(load(type)).isAssignableFrom(load(name)));
		});
	}

	private static Class<?> load(String name) {
		return ClassUtils.resolveClassName(name.strip(), null);
	}

}
