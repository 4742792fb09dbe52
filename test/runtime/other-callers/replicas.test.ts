/** Sessions and calls of other callers, which come to another replica. */
import { withPeers } from '../../support/peers.ts';
import { Replicas } from '../scale-out/replicas.ts';
import { suiteOfOtherCallers } from './suite.ts';

withPeers('redis-server').describe('at two replicas', () => {
  suiteOfOtherCallers(async bundle => {
    const replicas = await Replicas.start(bundle, { count: 2 });
    const [own = '', others = ''] = replicas.urls;
    return { urls: [own, others], [Symbol.asyncDispose]: () => replicas[Symbol.asyncDispose]() };
  });
});
