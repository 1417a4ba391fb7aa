package io.interlock.architecture;

import java.nio.charset.CharsetDecoder;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.RevocationRequest;
import io.interlock.internal.PrintableText;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.RunRecords.Run;
import org.junit.jupiter.api.Test;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Texts of a store pass {@link PrintableText} before a log, a message or a page.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = ImportOption.DoNotIncludeTests.class)
class StoreTextTests {

	/** Values that make all their texts printable. */
	private static final Set<Class<?>> PRINTABLE = Set.of(Run.class, RevocationRequest.class, LeaseLine.class,
			LeaseLine.Place.class, LeaseStoreException.class);

	private static final String FORGED = "a\nb\u001b[2Jc";

	/** Classes whose texts reach neither a log nor a page, by their reasons. */
	private static final Map<String, String> SILENT = Map.of("FreeRows", "compares identifiers", "Releases",
			"compares identifiers", "UnusedRows", "compares identifiers", "SchemaCatalog", "compares names of columns",
			"KeyScan", "finds keys that are asked for", "LockPaths",
			"makes an identifier, which is printable as a text");

	@ArchTest
	static final ArchRule whatIsReadIsMadePrintable = classes().that(readTextsOfAStore())
		.should(makeThemPrintable())
		.because("any client of the store may have written a line break into them");

	@ArchTest
	static final ArchRule valuesMakeTheirTextsPrintable = classes()
		.that(DescribedPredicate.describe("are values of texts", (type) -> isPrintable(type)))
		.should(callPrintableText());

	@Test
	void valuesHaveNoOtherTexts() {
		LeaseLine.Place place = new LeaseLine.Place(FORGED, FORGED, LockMode.SHARED, 1, 1, 1, Instant.EPOCH, null);
		LockId lock = new LockId("stock", FORGED);
		Stream
			.of(place, new LeaseLine(FORGED, lock, true, true, List.of(place)),
					new Run("job", FORGED, FORGED, Instant.EPOCH, Duration.ZERO, FORGED, null))
			.forEach((value) -> assertThat(texts(value)).isNotEmpty().allMatch((text) -> isPrintable(text)));
		assertThat(isPrintable(lock.toString())).isTrue();
		assertThat(isPrintable(new RevocationRequest(FORGED, Instant.EPOCH).requestedBy())).isTrue();
		assertThat(isPrintable(LeaseStoreException.passing(FORGED, null).getProblem())).isTrue();
	}

	private static List<String> texts(Object value) {
		return Arrays.stream(value.getClass().getRecordComponents())
			.filter((component) -> component.getType() == String.class)
			.map((component) -> ReflectionUtils.invokeMethod(component.getAccessor(), value))
			.map(String::valueOf)
			.toList();
	}

	private static boolean isPrintable(String text) {
		return PrintableText.of(text).equals(text);
	}

	private static DescribedPredicate<JavaClass> readTextsOfAStore() {
		return DescribedPredicate.describe("read texts of a store",
				(type) -> type.getPackageName().matches("io\\.interlock\\.(zookeeper|jdbc|redis).*")
						&& type.getCodeUnits().stream().anyMatch(StoreTextTests::reads));
	}

	private static boolean reads(JavaCodeUnit unit) {
		boolean ofBytes = unit.getConstructorCallsFromSelf()
			.stream()
			.anyMatch((call) -> call.getTargetOwner().isEquivalentTo(String.class)
					&& !call.getTarget().getRawParameterTypes().isEmpty()
					&& call.getTarget().getRawParameterTypes().get(0).isEquivalentTo(byte[].class));
		return ofBytes || unit.getMethodCallsFromSelf().stream().anyMatch(StoreTextTests::reads);
	}

	private static boolean reads(JavaMethodCall call) {
		JavaClass owner = call.getTargetOwner();
		return (owner.isEquivalentTo(ResultSet.class) && call.getName().equals("getString"))
				|| (owner.isEquivalentTo(CharsetDecoder.class) && call.getName().equals("decode"))
				|| (owner.getSimpleName().equals("OwnerRecord") && call.getName().equals("parse"));
	}

	private static ArchCondition<JavaClass> makeThemPrintable() {
		return new ArchCondition<>("make them printable, or make a value that does") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				boolean passes = escapes(type) || SILENT.containsKey(type.getSimpleName())
						|| type.getAccessesFromSelf()
							.stream()
							.anyMatch((access) -> isPrintable(access.getTargetOwner()));
				events.add(new SimpleConditionEvent(type, passes, type.getName() + " shows texts as they are"));
			}

		};
	}

	private static ArchCondition<JavaClass> callPrintableText() {
		return new ArchCondition<>("call PrintableText") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				events.add(new SimpleConditionEvent(type, escapes(type), type.getName() + " calls PrintableText"));
			}

		};
	}

	private static boolean isPrintable(JavaClass type) {
		return PRINTABLE.stream().anyMatch(type::isEquivalentTo);
	}

	private static boolean escapes(JavaClass type) {
		return type.getMethodCallsFromSelf()
			.stream()
			.anyMatch((call) -> call.getTargetOwner().isEquivalentTo(PrintableText.class));
	}

}
