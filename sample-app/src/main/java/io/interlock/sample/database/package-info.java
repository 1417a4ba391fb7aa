/**
 * How a second instance gets at the in-memory database of the first one.
 */
@NullMarked
package io.interlock.sample.database;

import org.jspecify.annotations.NullMarked;
