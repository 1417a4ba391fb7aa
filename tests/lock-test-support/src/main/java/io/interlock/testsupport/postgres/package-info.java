/**
 * PostgreSQL servers that are stopped and started by a test.
 */
@NullMarked
package io.interlock.testsupport.postgres;

import org.jspecify.annotations.NullMarked;
