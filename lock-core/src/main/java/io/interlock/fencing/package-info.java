/** Fencing: a database that refuses late writes. */
@NullMarked
package io.interlock.fencing;

import org.jspecify.annotations.NullMarked;
