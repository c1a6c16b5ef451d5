import { onRedis } from '../backends.ts';
import { playRows } from './play.ts';

onRedis('faults, with the queue in Redis', (redisUrl) => playRows({ name: 'redis', redisUrl }));
