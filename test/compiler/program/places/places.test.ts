import { test } from 'vitest';
import { expectPlaces, ROWS } from './rows.ts';

test.each(ROWS)('$name', row => expectPlaces(row));
