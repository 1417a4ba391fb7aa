/** Auto-configuration of answers over HTTP. */
@NullMarked
package io.interlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
