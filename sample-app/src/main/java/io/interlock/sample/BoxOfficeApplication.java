package io.interlock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * The box office.
 *
 * @since 0.1.0
 */
@SpringBootApplication
@EnableConfigurationProperties(BoxOfficeProperties.class)
@EnableScheduling
public class BoxOfficeApplication {

	/**
	 * Open the box office.
	 * @param args command line arguments, for instance {@code --server.port=8081}
	 */
	public static void main(String[] args) {
		SpringApplication.run(BoxOfficeApplication.class, args);
	}

}
