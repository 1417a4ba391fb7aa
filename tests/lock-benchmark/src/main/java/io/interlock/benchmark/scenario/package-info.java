/**
 * What is measured, in rounds, and the tables it makes.
 */
@NullMarked
package io.interlock.benchmark.scenario;

import org.jspecify.annotations.NullMarked;
