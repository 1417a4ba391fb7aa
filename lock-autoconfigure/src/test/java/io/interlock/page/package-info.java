/**
 * The examples of the pages that no other test runs. They compile.
 */
@NullMarked
package io.interlock.page;

import org.jspecify.annotations.NullMarked;
