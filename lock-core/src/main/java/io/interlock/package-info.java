/** Vocabulary of distributed locks: requests, handles, exceptions and listeners. */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;
