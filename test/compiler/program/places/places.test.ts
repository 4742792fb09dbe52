import { withPeers } from '../../../support/peers.ts';
import { expectPlaces, ROWS } from './rows.ts';

for (const row of ROWS) withPeers(...(row.needs ?? [])).test(row.name, () => expectPlaces(row));
