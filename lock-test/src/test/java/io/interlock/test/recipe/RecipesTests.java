package io.interlock.test.recipe;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.event.LockEvent;
import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import io.interlock.test.recipe.Slots.Slot;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.event.ApplicationEvents;
import org.springframework.test.context.event.RecordApplicationEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for the recipes of the documentation.
 */
@SpringBootTest
@AutoConfigureTestLocks
@RecordApplicationEvents
class RecipesTests {

	private static final Article ARTICLE = new Article("A-1", BigDecimal.TEN);

	@Autowired
	private TestLocks locks;

	@Autowired
	private ReadmeRecipes readme;

	@Autowired
	private FencedTransfers fenced;

	@Autowired
	private InvoiceJob invoices;

	@Autowired
	private Catalog catalog;

	@Autowired
	private Slots slots;

	@Autowired
	private PartitionedWork work;

	@Autowired
	private Reservations reservations;

	@MockitoBean
	private Accounts accounts;

	@MockitoBean
	private Articles articles;

	@MockitoBean
	private Prices prices;

	@MockitoBean
	private Payments payments;

	@Test
	void updateIsUnderTheLockOfItsKey() {
		willAnswer((call) -> assertThat(this.locks).holds("accounts", "7")).given(this.accounts).add(7, BigDecimal.ONE);
		this.readme.book(7, BigDecimal.ONE);
		assertThat(this.locks).acquired("accounts", "7").times(1);
	}

	@Test
	void jobIsSkippedWhileAnotherInstanceRunsIt() {
		this.locks.busy("settlement");
		this.readme.settle();
		assertThat(this.locks).refused("settlement");
		then(this.accounts).shouldHaveNoInteractions();
	}

	@Test
	void jobKeepsItsLockAfterItHasEnded() {
		this.readme.settle();
		this.readme.settle();
		then(this.accounts).should(times(1)).settle();
		this.locks.advance(Duration.ofSeconds(30));
		this.readme.settle();
		then(this.accounts).should(times(2)).settle();
	}

	@Test
	void readersShareAndWritersExclude() {
		willAnswer((call) -> {
			assertThat(this.locks).holds("prices");
			return new Prices.Report(1);
		}).given(this.prices).report();
		assertThat(this.readme.report().articles()).isEqualTo(1);
		this.readme.change(List.of(ARTICLE));
		assertThat(this.locks).acquired("prices").times(2);
	}

	@Test
	void transferHasBothAccounts() {
		willAnswer((call) -> assertThat(this.locks).holds("accounts", "1").holds("accounts", "2")).given(this.accounts)
			.add(any(Long.class), any());
		this.readme.transfer(2, 1, BigDecimal.ONE);
		then(this.accounts).should(times(2)).add(any(Long.class), any());
	}

	@Test
	void fencedTransferWritesEachRowWithItsOwnToken() {
		this.fenced.transfer(1, 2, BigDecimal.ONE);
		ArgumentCaptor<Long> token = ArgumentCaptor.forClass(Long.class);
		then(this.accounts).should().add(eq(1L), eq(BigDecimal.ONE.negate()), token.capture());
		then(this.accounts).should().add(eq(2L), eq(BigDecimal.ONE), token.capture());
		assertThat(token.getAllValues()).doesNotHaveDuplicates().allMatch((each) -> each > 0);
	}

	@Test
	void futureKeepsTheLockUntilItCompletes() {
		CompletableFuture<Receipt> receipt = new CompletableFuture<>();
		given(this.payments.charge(any(Long.class), any(Long.class))).willReturn(receipt);
		CompletableFuture<Receipt> charged = this.readme.charge(3);
		await().untilAsserted(() -> assertThat(this.locks).holds("orders", "3"));
		receipt.complete(new Receipt(1));
		await().untilAsserted(() -> assertThat(this.locks).holdsNothing());
		assertThat(charged).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void leaderSendsInvoicesUntilItsLeadershipIsInDoubt() {
		await().untilAsserted(() -> {
			this.invoices.sendInvoices();
			then(this.accounts).should().settle();
		});
		this.locks.unavailable();
		clearInvocations(this.accounts);
		this.invoices.sendInvoices();
		then(this.accounts).should(never()).settle();
	}

	@Test
	void writerInvalidatesTheCache() {
		given(this.articles.load("A-1")).willReturn(ARTICLE);
		assertThat(this.catalog.find("A-1")).isEqualTo(ARTICLE);
		Article cheaper = new Article("A-1", BigDecimal.ONE);
		willAnswer((call) -> assertThat(this.locks).holds("catalog", "A-1")).given(this.articles).store(cheaper);
		this.catalog.change(cheaper);
		given(this.articles.load("A-1")).willReturn(cheaper);
		assertThat(this.catalog.find("A-1")).isEqualTo(cheaper);
	}

	@Test
	void slotsGoToOneHolderEach() {
		try (Slot first = this.slots.lease("part", 2).orElseThrow();
				Slot second = this.slots.lease("part", 2).orElseThrow()) {
			assertThat(List.of(first.number(), second.number())).containsExactly(0, 1);
			assertThat(this.slots.lease("part", 2)).isEmpty();
			this.locks.lose("part", "0");
			assertThat(first.isMine()).isFalse();
			assertThat(second.isMine()).isTrue();
		}
	}

	@Test
	void workIsDoneForThePartsThatNoOtherInstanceIsDoing() {
		Article other = new Article("B-7", BigDecimal.ONE);
		given(this.articles.changed(0, 4)).willReturn(List.of(ARTICLE));
		given(this.articles.changed(1, 4)).willReturn(List.of(other));
		this.locks.busy("part", "0");
		this.work.run();
		then(this.articles).should().store(other);
		then(this.articles).should(never()).store(ARTICLE);
		assertThat(this.locks).refused("part", "0").acquired("part", "1").acquired("part", "3");
	}

	@Test
	void workEndsWhenItsLockIsInDoubt() {
		given(this.articles.changed(0, 4)).willReturn(List.of(ARTICLE, ARTICLE, ARTICLE));
		willAnswer((call) -> this.locks.suspend("part", "0")).given(this.articles).store(ARTICLE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.work::run);
		then(this.articles).should(times(1)).store(ARTICLE);
	}

	@Test
	void nodesMakeDifferentNumbersUntilTheyAreLost() {
		try (NodeIds first = new NodeIds(this.slots, Clock.systemUTC());
				NodeIds second = new NodeIds(this.slots, Clock.systemUTC())) {
			List<Long> numbers = IntStream.range(0, 1000)
				.boxed()
				.flatMap((round) -> Stream.of(first.next(), second.next()))
				.toList();
			assertThat(numbers).doesNotHaveDuplicates();
			this.locks.lose("node", "0");
			assertThatIllegalStateException().isThrownBy(first::next).withMessageContaining("Node 0");
		}
	}

	@Test
	void fallbackAnswersForAnArticleThatIsBusy() {
		this.locks.busy("stock", "A-1");
		assertThat(this.reservations.reserve("A-1")).isEqualTo("queued A-1");
	}

	@Test
	void eachRetryTakesTheLockAnew(ApplicationEvents events) {
		this.locks.busy("stock", "A-1");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.reservations.reserveWithRetries("A-1"));
		assertThat(events.stream(LockEvent.NotAcquired.class)).hasSize(4);
		then(this.articles).shouldHaveNoInteractions();
	}

	@Test
	void stripeIsANumberBelowSixtyFour() {
		given(this.articles.load("A-1")).willReturn(ARTICLE);
		assertThat(this.reservations.reserveInStripe("A-1")).isEqualTo("reserved A-1");
		assertThat(this.locks).acquired("stock-stripe", Integer.toString(Math.floorMod("A-1".hashCode(), 64)));
	}

	@Test
	void migrationHoldsBothNames() {
		willAnswer((call) -> {
			assertThat(this.locks).holds("stock", "A-1").holds("inventory", "A-1");
			return ARTICLE;
		}).given(this.articles).load("A-1");
		assertThat(this.reservations.reserveUnderBothNames("A-1")).isEqualTo("reserved A-1");
	}

}
