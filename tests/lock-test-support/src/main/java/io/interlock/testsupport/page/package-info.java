/**
 * What tests run of the pages.
 */
@NullMarked
package io.interlock.testsupport.page;

import org.jspecify.annotations.NullMarked;
