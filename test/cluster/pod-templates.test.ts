/**
 * The answers of a real API server to the pod templates of `test/compiler/pods`, with which that test compares Lintel's findings. The answers are
 * recorded there for `npm test`; `npm run test:cluster -- pod-templates -u` records them again.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatCanonicalJson } from '#schemas';
import { type OpenApiDocument, readPodDefinitions } from '../../compiler/analysis/pods/generate/pod-definitions.ts';
import published from '../../compiler/analysis/pods/generate/published.json' with { type: 'json' };
import { formatCollectionPath } from '../../controller/kube/index.ts';
import { allTemplates, deploymentWith } from '../compiler/pods/judged.ts';
import { type RealApi, startRealApi } from '../support/kube-api/real.ts';

let api: RealApi;
beforeAll(async () => {
  api = await startRealApi();
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'mcp' } } });
}, 300_000);
afterAll(() => api?.close());

test('the API server accepts or refuses each pod template of this test as test/compiler/pods/recorded/answers.json records', {
  timeout: 600_000,
}, async () => {
  const path = formatCollectionPath({ apiVersion: 'apps/v1', kind: 'Deployment' }, 'mcp');
  const answers: Record<string, string> = {};
  for (const [title, template] of allTemplates()) {
    const { status, body } = await api.request('POST', path, {
      body: deploymentWith(template),
      query: { dryRun: 'All', fieldValidation: 'Strict' },
    });
    expect([201, 400, 422], title).toContain(status);
    answers[title] = status === 201 ? 'taken' : reasonOf(body);
  }
  const { gitVersion } = (await api.request('GET', '/version')).body;
  const text = `${JSON.stringify({ version: gitVersion, answers }, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../compiler/pods/recorded/answers.json');
});

test("the recorded pod definitions from which Lintel's pod schema is generated are those of the API server", async () => {
  const { gitVersion } = (await api.request('GET', '/version')).body;
  const { body } = await api.request('GET', '/openapi/v3/apis/apps/v1');
  expect(gitVersion).toBe(published.version);
  expect(formatCanonicalJson(readPodDefinitions(body as unknown as OpenApiDocument))).toBe(
    formatCanonicalJson(published.definitions),
  );
});

interface Failure {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly field?: string }[] };
}

/** Fields and reasons, sorted, because the server reports members of maps in any order. */
function reasonOf(body: object): string {
  const { message = '', details } = body as Failure;
  const causes = (details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`);
  return causes.length === 0 ? message : [...new Set(causes)].sort().join(', ');
}
