package io.interlock.rule;

import java.util.Locale;

/** How a member of a type is used. */
enum Access {

	CALL, READ, WRITE;

	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

}
