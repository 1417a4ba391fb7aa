package io.interlock.lease;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.admin.ContenderOwner;
import io.interlock.internal.PrintableText;
import io.interlock.provider.LockCaller;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The one text that a store keeps of the owner of a contender, for operators:
 * {@code instance|since|application|thread}. No lock depends on the text. The application
 * is empty if the identifier of the instance begins with it, as it does by default. An
 * instance of an earlier version writes its identifier only. Immutable.
 */
final class LeaseOwner {

	/** What each store has room for. */
	static final int MAX_LENGTH = 255;

	/** More than a store with escaped characters gives back. */
	private static final int MAX_READ = 6 * MAX_LENGTH;

	private static final int MAX_PART = 90;

	private static final int MIN_INSTANCE = 40;

	private static final String CUT = "...";

	private static final Pattern TEXT = Pattern
		.compile("(?s)([^|]*)\\|(\\d{4}-\\d\\d-\\d\\dT[\\d:.]{5,18}Z)\\|([^|]*)\\|(.*)");

	private static final Pattern PROCESS = Pattern.compile("(?s)(.+)@([^@]+):(\\d{1,18})");

	private final String instance;

	private final String application;

	LeaseOwner(LeaseSettings settings) {
		this.instance = part(settings.instanceId());
		this.application = settings.instanceId().startsWith(settings.application() + "@") ? ""
				: part(settings.application());
	}

	private static String part(String text) {
		return cut(PrintableText.of(text).replace('|', '/'), MAX_PART);
	}

	private static String cut(String text, int length) {
		if (text.length() <= length) {
			return text;
		}
		int end = length - CUT.length();
		return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + CUT;
	}

	/** Return the text for a caller. An operator's name and reason are cut last. */
	String textOf(LockCaller caller) {
		String thread = PrintableText.of(caller.text());
		String text = text(this.instance, caller, this.application, thread);
		int missing = text.length() - MAX_LENGTH;
		if (missing > 0 && caller.operator() != null) {
			int room = this.instance.length() + this.application.length() - missing;
			return cut(text(cut(this.instance, Math.min(this.instance.length(), Math.max(MIN_INSTANCE, room))), caller,
					"", thread), MAX_LENGTH);
		}
		return cut(text, MAX_LENGTH);
	}

	private static String text(String instance, LockCaller caller, String application, String thread) {
		return instance + "|" + caller.since().truncatedTo(ChronoUnit.MILLIS) + "|" + application + "|" + thread;
	}

	/** Return the owner that a text tells, whoever wrote it. */
	static ContenderOwner of(@Nullable String text) {
		String printable = PrintableText.of((text != null) ? cut(text, MAX_READ) : "");
		Matcher parts = TEXT.matcher(printable);
		Instant since = parts.matches() ? instant(parts.group(2)) : null;
		if (since == null) {
			return owner(printable, null, null, null);
		}
		return owner(parts.group(1), parts.group(3), since, parts.group(4));
	}

	private static @Nullable Instant instant(String text) {
		try {
			return Instant.parse(text);
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

	/** By default an instance names its application, its host and its process. */
	private static ContenderOwner owner(String instance, @Nullable String application, @Nullable Instant since,
			@Nullable String thread) {
		Matcher process = PROCESS.matcher(instance);
		boolean named = process.matches();
		String ofInstance = named ? process.group(1) : null;
		return new ContenderOwner(ContenderOwner.Kind.INTERLOCK, null,
				StringUtils.hasText(application) ? application : ofInstance, orNull(instance),
				named ? process.group(2) : null, named ? Long.valueOf(process.group(3)) : null, orNull(thread), since,
				null, null, null, null);
	}

	private static @Nullable String orNull(@Nullable String text) {
		return StringUtils.hasText(text) ? text : null;
	}

}
