export * from '../actuator/locksconsole/poller.js';
