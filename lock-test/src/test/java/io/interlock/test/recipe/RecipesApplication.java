package io.interlock.test.recipe;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.resilience.annotation.EnableResilientMethods;

/**
 * An application with all recipes.
 */
@SpringBootApplication
@EnableResilientMethods
class RecipesApplication {

}
