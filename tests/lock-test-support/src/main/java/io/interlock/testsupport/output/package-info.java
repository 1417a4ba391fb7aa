/**
 * What tests print: to their reports, and to the console where a test fails.
 */
@NullMarked
package io.interlock.testsupport.output;

import org.jspecify.annotations.NullMarked;
