/**
 * The annotations that users write on methods, interfaces and classes.
 */
@NullMarked
package io.interlock.annotation;

import org.jspecify.annotations.NullMarked;
