/**
 * Locks in a relational database.
 */
@NullMarked
package io.interlock.jdbc;

import org.jspecify.annotations.NullMarked;
