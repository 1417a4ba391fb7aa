/** Annotations for methods, interfaces and classes. */
@NullMarked
package io.interlock.annotation;

import org.jspecify.annotations.NullMarked;
