/**
 * Locks in applications that have Spring Cloud.
 */
package io.interlock.springcloud;
