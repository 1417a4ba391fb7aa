package io.interlock.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * What slices look for. It finds no other type of this package.
 */
@SpringBootApplication(scanBasePackages = "io.interlock.test.none")
class SliceApplication {

}
