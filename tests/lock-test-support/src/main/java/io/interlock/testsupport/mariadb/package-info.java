/**
 * MariaDB servers that are stopped and started by a test.
 */
@NullMarked
package io.interlock.testsupport.mariadb;

import org.jspecify.annotations.NullMarked;
