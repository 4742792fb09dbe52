/** The attacks on bearer tokens, against a registry server. */
import { request } from 'node:http';
import type { RegistryBundle } from '#schemas';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { describeAttacks } from '../auth/attacks/suite.ts';
import { openDoor, twoRegistries } from './served-door.ts';

const CONFIG = twoRegistries(
  '      - { name: corp, issuerUrl: "https://login.invalid", audience: x }',
  '    realm: test',
);

describeAttacks(async provider => {
  const bundle = getBundle(compileConfig(CONFIG));
  const auth = { ...bundle.auth, providers: [provider] } as RegistryBundle['auth'];
  const door = await openDoor({ ...bundle, auth });
  const url = new URL('/registry/main/v0.1/servers', door.origin);
  return {
    send: headers =>
      new Promise((resolve, reject) => {
        request(url, { agent: false, headers: ['Host', url.host, ...headers] }, async answer => {
          let text = '';
          for await (const chunk of answer) text += chunk;
          const { statusCode: status = 0 } = answer;
          const challenge = answer.headers['www-authenticate'];
          resolve({ status, challenge, text: status === 200 ? undefined : JSON.parse(text).error });
        })
          .on('error', reject)
          .end();
      }),
    close: () => door.close(),
  };
}, 401);
