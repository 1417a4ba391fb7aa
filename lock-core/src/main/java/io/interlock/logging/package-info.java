/** Log lines about locks, and the locks of a thread in its log context. */
@NullMarked
package io.interlock.logging;

import org.jspecify.annotations.NullMarked;
