package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.interlock.zookeeper.internal.engine.Requests.Creation;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link WriteQueue}.
 */
class WriteQueueTests {

	/** The queue and its callers need less than this. */
	private static final int DEPTHS = 80;

	private final List<String> sent = new ArrayList<>();

	private final List<Creation> alone = new ArrayList<>();

	private final List<MultiCallback> together = new ArrayList<>();

	private final List<String> told = new ArrayList<>();

	private @Nullable Error failure;

	private boolean answersAtOnce;

	private final List<Integer> refusalsAtSend = new ArrayList<>();

	private Runnable whileSending = () -> {
	};

	private WriteQueue queue = new WriteQueue(this::sendTogether, WriteWindow.fixed(1));

	private void sendTogether(List<Op> ops, MultiCallback answer) {
		send("multi" + ops.stream().map((op) -> ((op instanceof Op.Create) ? "+" : "-") + op.getPath()).toList());
		this.together.add(answer);
	}

	private void send(String request, Creation answer) {
		send(request);
		if (this.answersAtOnce) {
			answer.created(Code.SESSIONEXPIRED, null, null);
		}
		else {
			this.alone.add(answer);
		}
	}

	private void send(String request) {
		Error failure = this.failure;
		if (failure != null) {
			this.failure = null;
			throw failure;
		}
		this.sent.add(request);
		this.refusalsAtSend.add(this.queue.refusals());
		Runnable meanwhile = this.whileSending;
		this.whileSending = () -> {
		};
		meanwhile.run();
	}

	private void create(String path) {
		this.queue.create(path, () -> Op.create(path, new byte[0], List.of(), CreateMode.PERSISTENT),
				(told) -> send("+" + path, told),
				(code, name, stat) -> this.told.add(path + " " + code + ((stat != null) ? stat.getCzxid() : "")));
	}

	private void delete(String path) {
		this.queue.delete(() -> Op.delete(path, -1), (told) -> send("-" + path, told),
				(code) -> this.told.add(path + " " + code));
	}

	private void list(String path) {
		this.queue.read(() -> send("list " + path), (code) -> this.told.add("list " + path + " " + code));
	}

	private void answer(Code code) {
		this.alone.remove(0).created(code, null, null);
	}

	private void answer(Code code, @Nullable List<OpResult> results) {
		this.together.remove(0).processResult(code.intValue(), null, null, results);
	}

	private static OpResult created(String path, long czxid) {
		Stat stat = new Stat();
		stat.setCzxid(czxid);
		return new OpResult.CreateResult(path, stat);
	}

	/** Nodes were made below some parents before, and a deletion is under way. */
	@BeforeEach
	void begin() {
		for (String parent : List.of("a", "b", "c")) {
			create("/" + parent + "/first");
			answer(Code.OK);
		}
		delete("/other/x");
		this.sent.clear();
		this.told.clear();
	}

	@Test
	void whatWaitsGoesTogetherAfterTheNextAnswer() {
		create("/a/1");
		delete("/b/2");
		create("/c/3");
		assertThat(this.sent).isEmpty();
		answer(Code.OK);
		assertThat(this.sent).containsExactly("multi[+/a/1, -/b/2, +/c/3]");
		answer(Code.OK, List.of(created("/a/1", 7), new OpResult.DeleteResult(), created("/c/3", 7)));
		assertThat(this.told).containsExactly("/other/x OK", "/a/1 OK7", "/b/2 OK", "/c/3 OK7");
	}

	@Test
	void oneThatWaitsGoesAlone() {
		create("/a/1");
		answer(Code.OK);
		assertThat(this.sent).containsExactly("+/a/1");
	}

	@Test
	void twoNodesOfOneLockAreMadeByTwoTransactions() {
		create("/a/1");
		create("/b/1");
		create("/a/2");
		answer(Code.OK);
		assertThat(this.sent).containsExactly("multi[+/a/1, +/b/1]", "+/a/2");
	}

	@Test
	void creationWhoseParentMayBeMissingSpoilsNoTransaction() {
		create("/unknown/1");
		create("/a/1");
		create("/b/1");
		answer(Code.OK);
		assertThat(this.sent).containsExactly("+/unknown/1");
		answer(Code.NONODE);
		assertThat(this.sent).containsExactly("+/unknown/1", "multi[+/a/1, +/b/1]");
	}

	@Test
	void creationWhoseParentIsGoneIsNotTrustedAgain() {
		answer(Code.OK);
		create("/a/1");
		answer(Code.NONODE);
		delete("/other/y");
		create("/a/2");
		create("/b/2");
		create("/c/2");
		answer(Code.OK);
		answer(Code.OK);
		assertThat(this.sent).containsExactly("+/a/1", "-/other/y", "+/a/2", "multi[+/b/2, +/c/2]");
	}

	@Test
	void readStaysBehindTheWritesThatWait() {
		list("/b");
		create("/a/1");
		list("/a");
		delete("/b/1");
		list("/b/1");
		assertThat(this.sent).containsExactly("list /b");
		answer(Code.OK);
		assertThat(this.sent).containsExactly("list /b", "multi[+/a/1, -/b/1]", "list /a", "list /b/1");
		list("/a");
		assertThat(this.sent).hasSize(5);
	}

	@Test
	void secondNodeOfALockStaysBehindTheFirst() {
		create("/a/1");
		list("/a");
		create("/a/2");
		answer(Code.OK);
		assertThat(this.sent).containsExactly("+/a/1", "list /a", "+/a/2");
	}

	@Test
	void refusedTransactionIsRepeatedOneByOne() {
		create("/a/1");
		delete("/b/1");
		answer(Code.OK);
		this.told.clear();
		answer(Code.NONODE, List.of(new OpResult.ErrorResult(0), new OpResult.ErrorResult(Code.NONODE.intValue())));
		assertThat(this.sent).containsExactly("multi[+/a/1, -/b/1]", "+/a/1", "-/b/1");
		assertThat(this.told).isEmpty();
		answer(Code.OK);
		answer(Code.NONODE);
		assertThat(this.told).containsExactly("/a/1 OK", "/b/1 NONODE");
		assertThat(this.queue.refusals()).isEqualTo(1);
	}

	@Test
	void lostAnswerIsALostAnswerOfEach() {
		create("/a/1");
		delete("/b/1");
		answer(Code.OK);
		answer(Code.CONNECTIONLOSS, null);
		assertThat(this.sent).containsExactly("multi[+/a/1, -/b/1]");
		assertThat(this.told).endsWith("/a/1 CONNECTIONLOSS", "/b/1 CONNECTIONLOSS");
	}

	@Test
	void serverThatDoesNotTellWhatItHasMadeMakesOneNodeAtATime() {
		create("/a/1");
		create("/b/1");
		answer(Code.OK);
		answer(Code.OK, List.of(new OpResult.CreateResult("/a/1"), new OpResult.CreateResult("/b/1")));
		assertThat(this.told).endsWith("/a/1 OPERATIONTIMEOUT", "/b/1 OPERATIONTIMEOUT");
		delete("/other/x");
		create("/a/2");
		create("/b/2");
		answer(Code.OK);
		answer(Code.OK);
		assertThat(this.sent).endsWith("-/other/x", "+/a/2", "+/b/2");
	}

	@Test
	void transactionIsBounded() {
		for (int i = 0; i < 100; i++) {
			delete("/b/" + i);
		}
		answer(Code.OK);
		answer(Code.CONNECTIONLOSS, null);
		assertThat(this.sent).hasSize(2).allSatisfy((multi) -> assertThat(multi.split(",")).hasSizeBetween(36, 64));
		answer(Code.CONNECTIONLOSS, null);
		assertThat(this.told).hasSize(101);
	}

	@Test
	void whatCannotBeSentLaterIsAnswered() {
		create("/a/1");
		delete("/b/1");
		this.failure = new OutOfMemoryError("injected");
		answer(Code.OK);
		assertThat(this.sent).isEmpty();
		assertThat(this.told).containsExactlyInAnyOrder("/other/x OK", "/a/1 OPERATIONTIMEOUT",
				"/b/1 OPERATIONTIMEOUT");
	}

	@Test
	void callerLearnsThatItsRequestCannotBeSent() {
		answer(Code.OK);
		this.failure = new OutOfMemoryError("injected");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> create("/a/1"));
		create("/a/1");
		assertThat(this.sent).containsExactly("+/a/1");
	}

	@Test
	void callerWhoseRequestCannotBeSentHoldsUpNothing() {
		answer(Code.OK);
		delete("/b/1");
		create("/a/1");
		this.failure = new OutOfMemoryError("injected");
		answer(Code.OK);
		create("/a/2");
		assertThat(this.sent).containsExactly("-/b/1", "+/a/2");
	}

	/** A closed handle answers at once, on the thread that sends. */
	@Test
	void answerThatComesAtOnceSendsTheRest() {
		create("/a/1");
		this.answersAtOnce = true;
		create("/a/2");
		create("/a/3");
		list("/a");
		answer(Code.OK);
		assertThat(this.sent).endsWith("+/a/2", "+/a/3", "list /a").hasSize(4);
		assertThat(this.told).containsExactlyInAnyOrder("/other/x OK", "/a/1 SESSIONEXPIRED", "/a/2 SESSIONEXPIRED",
				"/a/3 SESSIONEXPIRED");
	}

	/** A reader that noticed no refusal has to be behind the parts. */
	@Test
	void refusalIsCountedBehindTheParts() {
		create("/a/1");
		delete("/b/1");
		answer(Code.OK);
		answer(Code.NONODE, List.of(new OpResult.ErrorResult(0), new OpResult.ErrorResult(Code.NONODE.intValue())));
		assertThat(this.sent).endsWith("+/a/1", "-/b/1");
		assertThat(this.refusalsAtSend).containsOnly(0);
		assertThat(this.queue.refusals()).isEqualTo(1);
	}

	@Test
	void whatComesWhileOthersAreSentStaysBehindThem() {
		create("/a/1");
		create("/b/1");
		create("/unknown/1");
		this.whileSending = () -> list("/unknown");
		answer(Code.OK);
		answer(Code.OK, List.of(created("/a/1", 7), created("/b/1", 7)));
		answer(Code.OK);
		assertThat(this.sent).containsExactly("multi[+/a/1, +/b/1]", "+/unknown/1", "list /unknown");
	}

	@Test
	void callerThatFailsWhenItIsToldKeepsNoOtherFromItsAnswer() {
		create("/a/1");
		this.queue.delete(() -> Op.delete("/b/1", -1), (told) -> send("-/b/1", told), (code) -> {
			throw new IllegalStateException("expected by this test");
		});
		create("/c/1");
		answer(Code.OK);
		assertThatIllegalStateException().isThrownBy(() -> answer(Code.CONNECTIONLOSS, null));
		assertThat(this.told).endsWith("/a/1 CONNECTIONLOSS", "/c/1 CONNECTIONLOSS");
	}

	@Test
	void partWhoseMemoryIsMissingIsAnsweredAndTheNextCallerSends() {
		delete("/a/1");
		this.queue.delete(() -> {
			throw new OutOfMemoryError("injected");
		}, (told) -> send("-/b/1", told), (code) -> this.told.add("/b/1 " + code));
		answer(Code.OK);
		assertThat(this.told).contains("/a/1 OPERATIONTIMEOUT", "/b/1 OPERATIONTIMEOUT");
		create("/a/2");
		assertThat(this.sent).containsExactly("+/a/2");
	}

	@Test
	void writeWhoseCallerIsAtTheEndOfItsStackHoldsUpNothing() {
		for (int above = 0; above < DEPTHS; above++) {
			WriteQueueTests fresh = new WriteQueueTests();
			fresh.begin();
			fresh.answer(Code.OK);
			atTheEndOfTheStack(above, () -> fresh.create("/a/1"));
			fresh.assertSendsAndAnswers(List.of());
		}
	}

	/**
	 * A closed handle answers on the thread of the caller, which then sends for others.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void callerThatSendsForOthersAtTheEndOfItsStackHoldsUpNothing(boolean answersAtOnce) {
		for (int above = 0; above < DEPTHS; above++) {
			WriteQueueTests fresh = new WriteQueueTests();
			fresh.begin();
			fresh.answer(Code.OK);
			List<String> accepted = new ArrayList<>();
			fresh.whileSending = () -> {
				for (String path : List.of("/a/1", "/b/1", "/unknown/1", "/a/2")) {
					fresh.create(path);
					accepted.add(path);
				}
				fresh.answersAtOnce = answersAtOnce;
				fresh.failure = answersAtOnce ? null : new OutOfMemoryError("injected");
			};
			atTheEndOfTheStack(above, () -> fresh.create("/c/1"));
			fresh.answersAtOnce = false;
			fresh.failure = null;
			fresh.assertSendsAndAnswers(accepted);
		}
	}

	private void assertSendsAndAnswers(List<String> paths) {
		create("/unknown/last");
		list("/unknown");
		while (!this.alone.isEmpty() || !this.together.isEmpty()) {
			if (this.alone.isEmpty()) {
				answer(Code.CONNECTIONLOSS, null);
			}
			else {
				answer(Code.OK);
			}
		}
		assertThat(this.sent).endsWith("list /unknown").contains("+/unknown/last");
		List<String> answered = this.told.stream().map((told) -> told.replaceFirst(" .*", "")).toList();
		assertThat(answered).containsAll(paths).contains("/unknown/last");
	}

	/** Call as so many callers before the one that finds no room for another. */
	private static int atTheEndOfTheStack(int above, Runnable action) {
		int frames;
		try {
			frames = atTheEndOfTheStack(above, action) + 1;
		}
		catch (StackOverflowError ex) {
			frames = 0;
		}
		if (frames == above) {
			try {
				action.run();
			}
			catch (VirtualMachineError | IllegalStateException ex) {
				// The caller learns it.
			}
		}
		return frames;
	}

	/** Keys that are used once, and servers before 3.7. */
	@Test
	void whatGoesAloneDoesNotWaitForATransaction() {
		WriteWindow near = WriteWindow.measured(() -> 0);
		for (int i = 0; i < 8; i++) {
			near.sent(1);
			near.answered();
		}
		this.queue = new WriteQueue(this::sendTogether, near);
		this.alone.clear();
		for (int i = 0; i < WriteWindow.LEAST; i++) {
			delete("/a/" + i);
		}
		create("/new/1");
		create("/new/2");
		this.sent.subList(0, WriteWindow.LEAST).clear();
		assertThat(this.sent).containsExactly("+/new/1", "+/new/2");
		delete("/b/1");
		delete("/b/2");
		create("/new/3");
		assertThat(this.sent).hasSize(2);
		for (int underWay = WriteWindow.LEAST + 2; underWay >= WriteWindow.LEAST; underWay--) {
			answer(Code.OK);
		}
		assertThat(this.sent.subList(2, this.sent.size())).containsExactly("multi[-/b/1, -/b/2]", "+/new/3");
	}

}
