/** Transactions under a lock: refuses to commit when the lock is lost. */
@NullMarked
package io.interlock.transaction;

import org.jspecify.annotations.NullMarked;
