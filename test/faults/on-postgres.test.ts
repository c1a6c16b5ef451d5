import { describe } from 'vitest';
import { playRows } from './play.ts';

describe('faults, with the queue in Postgres', () => playRows({ name: 'postgres', redisUrl: null }));
