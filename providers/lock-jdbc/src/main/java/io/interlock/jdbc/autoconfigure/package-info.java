/**
 * Auto-configuration for locks in a relational database.
 */
@NullMarked
package io.interlock.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
