/** Locks within one JVM, without a server. */
@NullMarked
package io.interlock.memory;

import org.jspecify.annotations.NullMarked;
