package io.interlock.sample.show.fault;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.interlock.autoconfigure.store.ConditionalOnStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;

/**
 * Matches if visitors may break what ZooKeeper alone has: a session, and the server
 * inside an instance.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnBooleanProperty("sample.controls")
@ConditionalOnStore("zookeeper")
@interface ConditionalOnZooKeeperControls {

}
