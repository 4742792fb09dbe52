/** Further ways in which git servers hang, and other protocols. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ObservedSource } from '../../../controller/reconcile/index.ts';
import { withPeers } from '../../support/peers.ts';
import { SshKey } from '../../support/signing-keys.ts';
import { SshServer } from '../../support/ssh-server.ts';
import { type Intercept, readSound, SERVERS, SOURCES, startServers } from './hanging.ts';
import { useServedRepositories } from './repositories.ts';
import { findSource } from './sources.ts';

const fixture = useServedRepositories();

/** Sends a byte now and then. */
function drip(response: ServerResponse, type: string): true {
  response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${type}` });
  const bytes = setInterval(() => response.write('0'), 500);
  response.once('close', () => clearInterval(bytes));
  return true;
}

test.each<[how: string, intercept: Intercept]>([
  ['the list of refs comes byte by byte', (_, response) => drip(response, 'advertisement')],
  // The query takes two requests, and a transfer begins with two more.
  ['the transfer comes byte by byte', (_, response, before) => before >= 4 && drip(response, 'result')],
])(
  'four slow HTTPS Git servers with eight sources each do not delay a source of another server: %s',
  async (_how, intercept) => {
    fixture.repository.commit({ 'gateway.yaml': 'kind: Nothing\n' });
    expect(await readSound(fixture, await startServers(fixture, intercept))).toBeLessThan(40);
  },
);

withPeers('sshd', 'ssh', 'ssh-keygen').describe('ssh', () => {
  test.each([
    ['the server sends nothing after the login', 'sleep 1000'],
    [
      'the server answers only the first request',
      `if [ -e "$0.$1" ]; then sleep 1000; fi; touch "$0.$1"; exec git-upload-pack "$1"`,
    ],
  ])(
    'four hanging SSH Git servers with eight sources each do not delay a source of another server: %s',
    async (how, script) => {
      fixture.repository.commit({ 'gateway.yaml': 'kind: Nothing\n' });
      const key = new SshKey(fixture.folder.path, `key-${how.length}`);
      const file = fixture.file('serve.sh');
      // The command that git sends is `git-upload-pack '/path'`.
      writeFileSync(file, `eval "set -- $SSH_ORIGINAL_COMMAND"\nshift\n${script.replaceAll('$0', file)}\n`);
      const secrets: Record<string, Record<string, string>> = {};
      const sources: ObservedSource[] = [];
      for (let at = 0; at < SERVERS; at += 1) {
        const server = await SshServer.start(fixture.file(`sshd-${at}`), () => {}, ['MaxStartups 100']);
        onTestFinished(() => server[Symbol.asyncDispose]());
        server.letIn(key, `command="sh ${file}" `);
        secrets[`git-${at}`] = { identity: key.privateKey, known_hosts: server.knownHosts() };
        for (let number = 0; number < SOURCES; number += 1)
          sources.push(
            findSource(
              {
                url: server.url(`${fixture.root}/${fixture.cloneOf(`${at}-${number}`)}`),
                timeout: '1h',
                secretRef: { name: `git-${at}` },
              },
              { name: `hanging-${at}-${number}` },
            ),
          );
      }
      expect(await readSound(fixture, sources, secrets)).toBeLessThan(40);
    },
  );
});
