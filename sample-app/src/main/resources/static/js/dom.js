export * from '../actuator/locksconsole/dom.js';
