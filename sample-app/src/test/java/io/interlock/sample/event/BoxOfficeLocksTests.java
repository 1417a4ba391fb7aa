package io.interlock.sample.event;

import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;

/**
 * Tests for what buyers are told when the lock of an event is busy, unavailable or lost,
 * without a ZooKeeper server.
 */
@SpringBootTest(properties = { "interlock.default-wait-time=0", "sample.database.name=box-office-locks" })
@AutoConfigureTestLocks
class BoxOfficeLocksTests {

	@Autowired
	private TestLocks locks;

	@Autowired
	private Events events;

	@MockitoBean
	private PaymentService payments;

	private MockMvcTester mvc;

	@BeforeEach
	void open(@Autowired WebApplicationContext context, @Autowired BoxOffice boxOffice) {
		this.mvc = MockMvcTester.from(context);
		boxOffice.reset(2);
		this.locks.reset();
	}

	@Test
	void saleRunsUnderTheLockOfItsEvent() {
		willAnswer((payment) -> assertThat(this.locks).holds("seats", 2)).given(this.payments).pay(any(), any());
		assertThat(sell()).hasStatus(HttpStatus.CREATED);
		then(this.payments).should().pay(any(), any());
		assertThat(this.locks).acquired("seats", 2).times(1).holdsNothing();
	}

	@Test
	void buyerComesBackWhenAnotherInstanceSells() {
		this.locks.busy("seats", 2);
		assertThat(sell()).hasStatus(HttpStatus.CONFLICT).hasHeader(HttpHeaders.RETRY_AFTER, "1");
		then(this.payments).shouldHaveNoInteractions();
	}

	@Test
	void eventsDoNotWaitForEachOther() {
		this.locks.busy("seats", 1);
		assertThat(sell()).hasStatus(HttpStatus.CREATED);
	}

	@Test
	void nothingIsSoldInAnOutage() {
		this.locks.unavailable();
		assertThat(sell()).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		then(this.payments).shouldHaveNoInteractions();
	}

	@Test
	void saleThatLosesItsLockIsRolledBack() {
		willAnswer((payment) -> {
			this.locks.lose("seats", 2);
			return null;
		}).given(this.payments).pay(any(), any());
		assertThat(sell()).hasStatus(HttpStatus.INTERNAL_SERVER_ERROR);
		assertThat(this.locks).lost("seats", 2);
		assertThat(this.events.soldSeats(2)).isEmpty();
	}

	private MvcTestResult sell() {
		return this.mvc.post()
			.uri("/events/2/sales")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"buyer\":\"Ada\"}")
			.exchange();
	}

	/** The sale of seats, without the page that shows the locks in ZooKeeper. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableConfigurationProperties(BoxOfficeProperties.class)
	@ComponentScan("io.interlock.sample.event")
	@ComponentScan(basePackages = "io.interlock.sample.web", useDefaultFilters = false,
			includeFilters = @Filter(RestControllerAdvice.class))
	@Import(ThisInstance.class)
	static class SaleOfSeats {

	}

}
