package io.interlock.architecture;

import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;
import java.util.stream.Stream;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What the factories files name can be loaded and is of the type that is asked for.
 */
class FactoriesTests {

	static Stream<Arguments> implementationsAreOfTheirType() {
		return Stream.of(arguments(InterlockAutoConfiguration.class, "META-INF/spring.factories"),
				arguments(LockTemplate.class, "META-INF/spring/aot.factories"));
	}

	@ParameterizedTest
	@MethodSource
	void implementationsAreOfTheirType(Class<?> member, String location) throws IOException {
		Properties factories = new Properties();
		factories.load(new StringReader(MainOutput.read(member, location)));
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
