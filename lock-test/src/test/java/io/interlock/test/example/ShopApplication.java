package io.interlock.test.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * A shop.
 */
@SpringBootApplication
class ShopApplication {

}
