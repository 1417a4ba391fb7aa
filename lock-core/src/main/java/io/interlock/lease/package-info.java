/** Locks on a store that knows leases and no sessions, such as a database. */
@NullMarked
package io.interlock.lease;

import org.jspecify.annotations.NullMarked;
