package io.interlock.page.recipe;

import java.util.List;
import java.util.Optional;

import io.interlock.LockNotAcquiredException;
import io.interlock.page.recipe.Charges.Gateway;
import io.interlock.page.recipe.Charges.Receipts;
import io.interlock.page.recipe.PaymentListener.Orders;
import io.interlock.page.recipe.PaymentListener.Payment;
import io.interlock.page.recipe.TenantStock.Stock;
import io.interlock.page.recipe.TenantStock.Tenants;
import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests for the recipes of this package.
 */
@SpringBootTest(classes = { KafkaConfiguration.class, PaymentListener.class, Charges.class, TenantStock.class },
		webEnvironment = WebEnvironment.NONE)
@ImportAutoConfiguration(AopAutoConfiguration.class)
@AutoConfigureTestLocks
class RecipesTests {

	@Autowired
	private TestLocks locks;

	@Autowired
	private KafkaListenerEndpointRegistry listeners;

	@Autowired
	private Charges charges;

	@Autowired
	private TenantStock tenantStock;

	@MockitoBean
	private Orders orders;

	@MockitoBean
	private Receipts receipts;

	@MockitoBean
	private Gateway gateway;

	@MockitoBean(name = "tenants")
	private Tenants tenants;

	@MockitoBean
	private Stock stock;

	@Test
	void recordIsHandledUnderTheLockOfItsOrder() {
		Payment payment = new Payment(7, 100);
		willAnswer((call) -> assertThat(this.locks).holds("orders", "7")).given(this.orders).pay(payment);
		deliver(payment);
		then(this.orders).should().pay(payment);
	}

	@Test
	void recordOfABusyOrderFails() {
		this.locks.busy("orders", "7");
		assertThatExceptionOfType(ListenerExecutionFailedException.class).isThrownBy(() -> deliver(new Payment(7, 100)))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		then(this.orders).shouldHaveNoInteractions();
	}

	@Test
	void chargesOnceForAKey() {
		given(this.receipts.find("k-1")).willReturn(Optional.empty()).willReturn(Optional.of("receipt"));
		given(this.receipts.add("k-1", "receipt")).willReturn("receipt");
		willAnswer((call) -> {
			assertThat(this.locks).holds("charges", "k-1");
			return "receipt";
		}).given(this.gateway).charge("k-1", 100);
		assertThat(this.charges.charge("k-1", 100)).isEqualTo("receipt");
		assertThat(this.charges.charge("k-1", 100)).isEqualTo("receipt");
		then(this.gateway).should().charge("k-1", 100);
	}

	@Test
	void tenantIsPartOfTheKey() {
		given(this.tenants.current()).willReturn("acme");
		this.tenantStock.reserve("A-1");
		assertThat(this.locks).acquired("stock", "acme,A-1");
		then(this.stock).should().reserve("A-1");
	}

	@Test
	void callWithoutATenantIsRefused() {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.tenantStock.reserve("A-1"))
			.withMessageContaining("reserve");
		then(this.stock).shouldHaveNoInteractions();
	}

	@Test
	void tenantThatAnotherInstanceHandlesIsPassedOver() {
		this.locks.busy("month-end", "acme");
		this.tenantStock.closeMonth(List.of("acme", "globex"));
		then(this.stock).should().close("globex");
		then(this.stock).shouldHaveNoMoreInteractions();
	}

	@SuppressWarnings("unchecked")
	private void deliver(Payment payment) {
		AcknowledgingConsumerAwareMessageListener<String, Payment> listener = (AcknowledgingConsumerAwareMessageListener<String, Payment>) this.listeners
			.getListenerContainers()
			.iterator()
			.next()
			.getContainerProperties()
			.getMessageListener();
		listener.onMessage(new ConsumerRecord<>("payments", 0, 0, "7", payment), null, mock(Consumer.class));
	}

}
