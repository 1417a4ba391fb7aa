/**
 * Locks in applications that have Spring Cloud Zookeeper.
 */
package io.interlock.springcloud;
