/**
 * Fencing: a database that refuses the writes of a holder which has been overtaken.
 */
@NullMarked
package io.interlock.fencing;

import org.jspecify.annotations.NullMarked;
