import { describe } from 'vitest';
import { playRows } from './play.ts';

describe('the faults that matter most', () => playRows({ name: 'postgres', redisUrl: null }, 'main'));
