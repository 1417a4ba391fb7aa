export * from '../actuator/locksconsole/queue-picture.js';
