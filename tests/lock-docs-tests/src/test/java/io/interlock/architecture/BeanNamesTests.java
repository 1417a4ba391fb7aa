package io.interlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No bean of an auto-configuration has a name that an application gives to its own: two
 * beans of one name keep an application from starting.
 */
class BeanNamesTests {

	private static final List<String> IMPORTS = List.of(
			"META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports",
			"META-INF/spring/io.interlock.test.AutoConfigureTestLocks.imports");

	private static final String PREFIX = "interlock";

	/**
	 * Actuator derives a component of the health from the name of its bean. That of
	 * Spring Cloud Zookeeper has the same, and one of the two backs off.
	 */
	private static final String HEALTH_OF_ZOOKEEPER = "zookeeperHealthContributor";

	/** An application gives a provider its name by the key of a property. */
	private static final String NAMED_PROVIDER = "second";

	private final Set<String> configurations = new LinkedHashSet<>();

	private final Set<String> names = new TreeSet<>();

	BeanNamesTests() throws IOException {
		for (String autoConfiguration : autoConfigurations()) {
			visit(autoConfiguration);
		}
	}

	@Test
	void everyBeanOfAnAutoConfigurationHasThePrefix() {
		assertThat(this.names).hasSizeGreaterThan(50)
			.contains("interlockLockTemplate", "interlockJdbcLockProvider", "interlockRedisLockProvider",
					"interlockZooKeeperLockProvider", "interlockInMemoryLockProvider", "interlockTestLocks",
					"interlockShedLockProvider", "interlockLockRegistry", HEALTH_OF_ZOOKEEPER)
			.allMatch((name) -> name.startsWith(PREFIX) || name.equals(HEALTH_OF_ZOOKEEPER));
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "jdbc" })
	void everyBeanThatIsRegisteredHasThePrefix(String provider) {
		runner(provider).run((context) -> {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			assertThat(context.getBeanDefinitionNames()).contains("interlockNamedLockProviders", NAMED_PROVIDER)
				.filteredOn((name) -> isOurs(beans, beans.getBeanDefinition(name)))
				.hasSizeGreaterThan(20)
				.allMatch((name) -> name.startsWith(PREFIX) || name.startsWith("io.interlock.")
						|| name.equals(NAMED_PROVIDER));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "memory", "jdbc" })
	void anApplicationWithBeansOfTheSameNamesStarts(String provider) {
		ApplicationContextRunner runner = runner(provider);
		List<String> ofTheApplication = this.names.stream()
			.map((name) -> StringUtils.uncapitalize(StringUtils.delete(name, PREFIX)))
			.toList();
		assertThat(ofTheApplication).contains("jdbcLockProvider", "lockTemplate", "leaderElection", "jobRuns");
		for (String name : ofTheApplication) {
			runner = runner.withBean(name, StringBuilder.class);
		}
		runner.run((context) -> assertThat(context).hasNotFailed()
			.getBean("lockTemplate")
			.isInstanceOf(StringBuilder.class));
	}

	private ApplicationContextRunner runner(String provider) {
		Class<?>[] types = this.configurations.stream()
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.filter((type) -> !type.getPackageName().equals("io.interlock.test"))
			.toArray(Class<?>[]::new);
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(types))
			.withConfiguration(AutoConfigurations
				.of(org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration.class))
			.withPropertyValues("interlock.provider=" + provider, "spring.datasource.generate-unique-name=true",
					"interlock.providers." + NAMED_PROVIDER + ".provider=memory");
	}

	private static boolean isOurs(ConfigurableListableBeanFactory beans, BeanDefinition definition) {
		String maker = (definition.getFactoryBeanName() != null)
				? String.valueOf(beans.getType(definition.getFactoryBeanName())) : definition.getBeanClassName();
		return maker != null && maker.contains("io.interlock.");
	}

	private Set<String> autoConfigurations() throws IOException {
		for (String imports : IMPORTS) {
			List<URL> files = Collections.list(getClass().getClassLoader().getResources(imports));
			assertThat(files).isNotEmpty();
			for (URL file : files) {
				try (InputStream stream = file.openStream()) {
					new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines()
						.filter((line) -> line.startsWith("io.interlock."))
						.forEach(this.configurations::add);
				}
			}
		}
		return Set.copyOf(this.configurations);
	}

	/** Without loading a class: some need others that are not on the class path. */
	private void visit(String configuration) throws IOException {
		MetadataReader reader = new SimpleMetadataReaderFactory().getMetadataReader(configuration);
		AnnotationMetadata type = reader.getAnnotationMetadata();
		for (MethodMetadata method : type.getAnnotatedMethods(Bean.class.getName())) {
			Map<String, Object> bean = method.getAnnotationAttributes(Bean.class.getName());
			String[] given = (bean != null) ? (String[]) bean.get("name") : new String[0];
			this.names.addAll((given.length > 0) ? Arrays.asList(given) : List.of(method.getMethodName()));
		}
		for (String member : type.getMemberClassNames()) {
			visit(member);
		}
		Map<String, Object> imports = type.getAnnotationAttributes(Import.class.getName(), true);
		if (imports != null) {
			for (String imported : (String[]) imports.get("value")) {
				if (imported.startsWith("io.interlock.")) {
					visit(imported);
				}
			}
		}
	}

}
