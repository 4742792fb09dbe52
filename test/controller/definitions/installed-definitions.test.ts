import { expect, onTestFinished, test } from 'vitest';
import { API_GROUP, STORAGE_VERSION, VERSION } from '#schemas';
import { InstalledDefinitions } from '../../../controller/definitions/index.ts';
import { KubeError } from '../../../controller/kube/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';
import { openApi } from './open-api.ts';

/** The published CRDs, which a test may change; and every document that was read. */
class Published {
  document: object | KubeError = openApi();
  hash = 1;
  readonly read: string[] = [];
  readonly said: unknown[] = [];
  readonly clock: TestClock = new TestClock();
  readonly definitions: InstalledDefinitions = new InstalledDefinitions({
    client: { readDocument: async path => this.#answer(path) },
    clock: this.clock,
    onChange: problem => this.said.push(problem),
    onFailure: error => this.said.push(error),
  });

  async start(): Promise<void> {
    const end = new AbortController();
    const running = this.definitions.run(end.signal);
    onTestFinished(async () => {
      end.abort();
      await running;
    });
    await settle();
  }

  publish(document: object | KubeError): void {
    this.document = document;
    this.hash += 1;
  }

  #answer(path: string): object {
    this.read.push(path);
    if (this.document instanceof KubeError) throw this.document;
    if (path !== '/openapi/v3') return this.document;
    const location = `/openapi/v3/apis/${API_GROUP}/${STORAGE_VERSION}?hash=${this.hash}`;
    return { paths: { 'apis/apps/v1': {}, [`apis/${API_GROUP}/${STORAGE_VERSION}`]: { serverRelativeURL: location } } };
  }
}

const OLDER = openApi('MCPGroup', ({ properties }) => delete properties.spec.properties.description);
const PROBLEM = `the CustomResourceDefinitions in the cluster are older than this controller (${VERSION}): they lack spec.description of MCPGroup. The API server drops or refuses such a field: apply the definitions of ${VERSION} (\`lintel schema crd\` writes them)`;

test('the controller reads installed CRDs once and accepts them if they lack no field', async () => {
  const api = new Published();
  expect(api.definitions.problem).toBeUndefined();
  await api.start();
  await api.clock.pass(600_000);
  expect(api.definitions.problem).toBeNull();
  expect(api.said).toEqual([null]);
  expect(api.read.filter(path => path !== '/openapi/v3')).toHaveLength(1);
});

test('the controller reports older CRDs until they are upgraded', async () => {
  const api = new Published();
  api.publish(OLDER);
  await api.start();
  expect(api.definitions.problem).toBe(PROBLEM);
  api.publish(openApi());
  await api.clock.pass(10_000);
  expect(api.said).toEqual([PROBLEM, null]);
});

test('the message about older CRDs names the first five of many missing fields', async () => {
  const api = new Published();
  api.publish(openApi('MCPServer', ({ properties }) => (properties.spec.properties = {})));
  await api.start();
  expect(api.definitions.problem).toMatch(
    /they lack (spec\.\w+ of MCPServer, ){4}spec\.\w+ of MCPServer and \d+ more\. /,
  );
});

test('the controller logs once that it cannot read the CRDs, and reports no missing field', async () => {
  const api = new Published();
  const refused = new KubeError('forbidden', { failure: 'forbidden', call: 'read /openapi/v3' });
  api.publish(refused);
  await api.start();
  await api.clock.pass(180_000);
  expect(api.definitions.problem).toBeUndefined();
  expect(api.said).toEqual([refused]);
  api.publish(OLDER);
  await api.clock.pass(60_000);
  expect(api.said).toEqual([refused, PROBLEM]);
});
