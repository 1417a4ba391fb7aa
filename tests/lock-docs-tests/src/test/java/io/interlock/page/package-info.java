/**
 * Tests for examples on pages that need more than a module has.
 */
@NullMarked
package io.interlock.page;

import org.jspecify.annotations.NullMarked;
