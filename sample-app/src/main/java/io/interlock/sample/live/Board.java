package io.interlock.sample.live;

import java.util.List;

/**
 * What the live page shows.
 *
 * @param answeredBy name of the instance that answers
 * @param controls whether visitors may break things
 * @param waitBounds upper bounds of the classes of waits, in milliseconds
 * @param instances all instances, by name
 */
record Board(String answeredBy, boolean controls, List<Integer> waitBounds, List<InstanceView> instances) {

}
