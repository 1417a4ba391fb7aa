package io.interlock.faults.counter;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.jdbc.autoconfigure.LockDataSource;
import io.interlock.template.LockOperations;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An application as Spring Boot makes it, with a thread for each {@link Counter}. It
 * answers each line of its input: {@code run}, {@code end}, and a {@link Moment} to wait
 * for.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class CountingApplication {

	/**
	 * How an answer begins.
	 */
	public static final String ANSWER = "answer ";

	private static final String RUN = "run";

	private static final String END = "end";

	private final Moments moments = new Moments(Counter.values().length);

	private List<CountingThread> threads = List.of();

	public static void main(String[] args) throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(CountingApplication.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.run(args);
		CountingApplication application = context.getBean(CountingApplication.class);
		System.out.println(ANSWER + "started");
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			System.out.println(ANSWER + application.answer(line, context));
		}
		Runtime.getRuntime().halt(0);
	}

	@Bean
	DataSource dataSource(@Value("${counter.url}") String url, @Value("${counter.user}") String user) {
		return new LateCommits(pool(url, user), this.moments);
	}

	@Bean(defaultCandidate = false)
	@LockDataSource
	@ConditionalOnProperty("counter.locks")
	DataSource lockDataSource(@Value("${counter.locks}") String url) {
		return pool(url, "postgres");
	}

	private static HikariDataSource pool(String url, String user) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername(user);
		pool.setMaximumPoolSize(13);
		pool.setMinimumIdle(1);
		return pool;
	}

	private String answer(String line, ConfigurableApplicationContext context) throws InterruptedException {
		switch (line) {
			case RUN -> {
				this.threads = Stream.of(Counter.values())
					.map((counter) -> new CountingThread(counter, context.getBean(LockOperations.class),
							counter.transactions(context.getBean(PlatformTransactionManager.class)),
							context.getBean(DataSource.class), this.moments))
					.toList();
				this.threads.forEach(Thread::start);
				return RUN;
			}
			case END -> {
				StringBuilder answer = new StringBuilder();
				for (CountingThread thread : this.threads) {
					answer.append(answer.isEmpty() ? "" : ",").append(thread.end());
				}
				return answer.toString();
			}
			default -> {
				this.moments.awaitAll(Moment.valueOf(line));
				return line;
			}
		}
	}

}
