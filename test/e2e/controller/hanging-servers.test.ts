/** Four git servers report a new commit and then hang; meanwhile the built controller applies a commit from another server. */
import { expect, onTestFinished, test } from 'vitest';
import { PlayedPods } from '../../support/controller-world/played-pods.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { crds, startKubeApi } from '../../support/kube-api/index.ts';
import { eventually, PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const LIMIT_MS = 240_000;
const SERVERS = 4;
/** The number of concurrent requests to one server. */
const SOURCES = 4;
/** How long a source without `spec.timeout` waits for its server; milliseconds. */
const USUAL_TIMEOUT_MS = 60_000;

const keyOf = (name: string) => ({ apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: 'team', name });

interface Status {
  readonly lastAppliedRevision?: string;
  readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
}

test(
  'the controller applies sources of healthy Git servers in time, and sources of hanging servers report the reason',
  async () => {
    await using folder = await temporaryFolder();
    await using api = await startKubeApi({ crds: crds(), namespaces: ['team'] });
    await using sound = await GitServer.start({ root: folder.path, isTls: true });
    await using pods = new PlayedPods(api, Date.now);
    const repository = new TestRepository(folder.path, 'gateways.git');
    await folder.write({ kubeconfig: api.kubeconfig() });
    const data = { 'ca.crt': Buffer.from(TEST_CERTIFICATE).toString('base64') };
    api.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'git', namespace: 'team' }, data });
    const put = (name: string, url: string, more: object = {}) =>
      api.put({
        ...keyOf(name),
        metadata: { name, namespace: 'team' },
        spec: { url, secretRef: { name: 'git' }, interval: '10s', ...more },
      });
    const commit = repository.commit({ 'a.yaml': gatewayFile('a') });
    const names: string[] = [];
    for (let at = 0; at < SERVERS; at += 1) {
      const asked = new Map<string, number>();
      const server = await GitServer.start({
        root: folder.path,
        isTls: true,
        intercept({ url = '' }) {
          const [, path = ''] = url.split('/');
          const before = asked.get(path) ?? 0;
          asked.set(path, before + 1);
          // The query takes two requests.
          return before >= 2;
        },
      });
      onTestFinished(() => server[Symbol.asyncDispose]());
      for (let number = 0; number < SOURCES; number += 1) {
        const name = `hanging-${at}-${number}`;
        repository.git(['clone', '--quiet', '--bare', repository.path, folder.file(`${name}.git`)]);
        names.push(name);
        put(name, server.url(`${name}.git`));
      }
    }
    await using program = start(
      PROGRAM.controller,
      [
        ...['--kubeconfig', folder.file('kubeconfig'), '--state-dir', folder.file('state')],
        ...['--metrics-address', '127.0.0.1:0', '--single-tenant'],
      ],
      { limitMs: LIMIT_MS },
    );
    // Waits until all of them hang.
    await new Promise(resolve => setTimeout(resolve, 5_000));
    put('sound', sound.url('gateways.git'));
    const startedAt = performance.now();
    const status = (name: string) => (api.get(keyOf(name))?.status ?? {}) as Status;
    await eventually(async () => {
      await pods.settle();
      return status('sound').lastAppliedRevision === `main@sha1:${commit}`;
    }, LIMIT_MS);
    const seconds = (performance.now() - startedAt) / 1_000;
    if (process.env.PRINT_FIGURES) console.info(`applied after ${seconds.toFixed(1)} s`);
    expect(seconds * 1_000).toBeLessThan(USUAL_TIMEOUT_MS / 2);
    await eventually(
      () => names.every(name => status(name).conditions?.some(({ reason }) => reason === 'FetchFailed')),
      LIMIT_MS,
    );
    const messages = names.flatMap(name => status(name).conditions ?? []).filter(({ type }) => type === 'Ready');
    for (const { message } of messages)
      expect(message).toMatch(/was not read within 60 s|it has sent nothing for \d+ s, and other sources wait/);
    program.kill('SIGTERM');
  },
  LIMIT_MS,
);
