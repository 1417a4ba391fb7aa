export * from '../actuator/locksconsole/format.js';
