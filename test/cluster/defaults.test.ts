/** A real API server returns manifests unchanged, because they contain all of its default values. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { formatObjectPath, type KubeObject } from '../../controller/kube/index.ts';
import { type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT } from '../support/process.ts';

const CASES = join(ROOT, 'test/compiler/manifests/goldens/cases');

let api: RealApi;
beforeAll(async () => {
  api = await startRealApi();
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'mcp' } } });
});
afterAll(() => api?.close());

const manifests = readdirSync(CASES).flatMap(name => {
  const folder = join(CASES, name, 'expected');
  return readdirSync(folder).flatMap(file =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(document => document.toJS() as KubeObject),
  );
});

test.each(manifests.map(object => [`${object.kind} ${object.metadata.name}`, object] as const))(
  'the API server accepts the manifest of %s without a warning, and a second apply changes nothing',
  async (_, object) => {
    const path = formatObjectPath(object, object.metadata.namespace, object.metadata.name);
    const apply = () => api.client.apply(path, 'lintel', object, { fieldValidation: 'Strict', force: true });
    const { status, text, headers, body } = await apply();
    expect(status, text).toBe(201);
    expect(headers.warning).toBeUndefined();
    expect(meant(body as unknown as KubeObject, object)).toEqual(meant(object, object));
    const again = await apply();
    expect((again.body as unknown as KubeObject).metadata).toEqual((body as unknown as KubeObject).metadata);
  },
);

/** Depends on the cluster, or is left to an autoscaler. */
const CHOSEN_THERE = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'replicas'];

/** The returned object without fields that the cluster chooses and the manifest does not set. */
function meant({ status: _, metadata: { labels, annotations }, ...members }: KubeObject, asked: KubeObject): object {
  const fields = Object.entries((members.spec ?? {}) as object);
  const spec = fields.filter(([field]) => !CHOSEN_THERE.includes(field) || field in ((asked.spec ?? {}) as object));
  return { ...members, labels, annotations, ...('spec' in members && { spec: Object.fromEntries(spec) }) };
}
