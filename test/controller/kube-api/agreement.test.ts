/**
 * The API server test double answers like the real one: `recorded/` has a real kube-apiserver's answers to the rows, and with
 * `KUBEBUILDER_ASSETS` the real one is queried again. `UPDATE_GOLDEN=1` with `KUBEBUILDER_ASSETS` records again.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient, crds, roleBasedAccess, startKubeApi } from '../../support/kube-api/index.ts';
import { ASSETS, startRealApi } from '../../support/kube-api/real.ts';
import { eventually } from '../../support/process.ts';
import { ACCESS } from './rows/access.ts';
import { APPLY } from './rows/apply.ts';
import { CUSTOM } from './rows/custom-resources.ts';
import { DELETION } from './rows/deletion.ts';
import { READS } from './rows/reads.ts';
import { STATUS } from './rows/status.ts';
import { WRITES } from './rows/writes.ts';
import { type Row, transcript } from './transcript.ts';

const TABLES: { readonly [name: string]: readonly Row[] } = {
  writes: WRITES,
  reads: READS,
  deletion: DELETION,
  apply: APPLY,
  status: STATUS,
  'custom-resources': CUSTOM,
  access: ACCESS,
};

const NEEDED = [
  'gatewaysources.lintel.dev',
  'mcpgroups.lintel.dev',
  'virtualmcpservers.lintel.dev',
  'mcpservers.lintel.dev',
];
const definitions = crds().filter(crd => NEEDED.includes((crd as { metadata: { name: string } }).metadata.name));
/** Time limit for programs that start on a busy machine; milliseconds. */
const LIMIT_MS = 300_000;

const isRecording = process.env.UPDATE_GOLDEN !== undefined;

/** How often a row is repeated at most until all its writes are in one second. */
const PLAYS = 10;

const second = () => Math.floor(Date.now() / 1_000);

function suite(client: () => ApiClient): void {
  let count = 0;
  const played = async (row: Row): Promise<string> => {
    const namespace = `row-${++count}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    expect((await client().request('POST', '/api/v1/namespaces', { body })).status).toBe(201);
    return await transcript(client(), namespace, row);
  };
  for (const [table, rows] of Object.entries(TABLES)) {
    describe(table, () => {
      // `$name` would put quotation marks around the name.
      test.for(rows.map(row => [row.name, row] as const))(
        'the test API server answers as in the recording of kube-apiserver: %s',
        async ([, row]) => {
          const file = join(import.meta.dirname, 'recorded', table, `${row.name.replaceAll(/[^a-z0-9]+/gi, '-')}.yaml`);
          // The double would write a missing file at the first request.
          if (!isRecording) expect(existsSync(file), `${file} is recorded`).toBe(true);
          let [began, text] = [second(), await played(row)];
          // What an apply removes depends on the order of managers, and that on whole seconds; the recordings were made within one second.
          for (let plays = 1; table === 'apply' && second() !== began && plays < PLAYS; plays++)
            [began, text] = [second(), await played(row)];
          await expect(text).toMatchFileSnapshot(file);
        },
      );
    });
  }
}

describe.skipIf(isRecording)('the API server of tests', () => {
  let api: Awaited<ReturnType<typeof startKubeApi>>;
  let client: ApiClient;
  beforeAll(async () => {
    api = await startKubeApi({ crds: definitions });
    api.authorize = roleBasedAccess(() => api.rules());
    client = new ApiClient(api.connection());
  });
  afterAll(() => api.close());
  suite(() => client);
});

describe.skipIf(ASSETS === undefined)('kube-apiserver', { timeout: LIMIT_MS }, () => {
  let api: Awaited<ReturnType<typeof startRealApi>>;
  beforeAll(async () => {
    api = await startRealApi();
    for (const body of definitions) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      expect((await api.client.request('POST', path, { body })).status).toBe(201);
    }
    for (const name of NEEDED) {
      const path = `/apis/lintel.dev/v1beta1/${name.split('.')[0]}`;
      await eventually(async () => (await api.client.request('GET', path)).status === 200, LIMIT_MS);
    }
  }, LIMIT_MS);
  afterAll(() => api.close());
  suite(() => api.client);
});
