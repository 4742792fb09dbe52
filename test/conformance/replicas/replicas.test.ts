/** Every scenario of `conformance.test.ts` against three replicas behind a proxy without affinity. */
import { withPeers } from '../../support/peers.ts';
import { scenarioTests } from '../suite-tests.ts';
import { startReplicas } from '../targets.ts';

withPeers('redis-server').describe('three replicas', () => scenarioTests(startReplicas));
