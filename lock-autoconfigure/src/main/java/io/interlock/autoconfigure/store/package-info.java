/** Which store the locks of an application are kept in. */
@NullMarked
package io.interlock.autoconfigure.store;

import org.jspecify.annotations.NullMarked;
