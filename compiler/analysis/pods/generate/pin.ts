/**
 * `node --conditions=lintel-source compiler/analysis/pods/generate/pin.ts VERSION PUBLISHED SERVED`: writes `published.json`, the part of
 * Kubernetes' OpenAPI that pod templates are made of, so that `npm run generate` needs nothing else.
 *
 * - VERSION: of Kubernetes, such as `v1.36.3`
 * - PUBLISHED: `api/openapi-spec/v3/apis__apps__v1_openapi.json` of that version's source
 * - SERVED: the document that its API server serves at `/openapi/v3/apis/apps/v1`. The published file leaves out the values of enums.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { formatCanonicalJson } from '#schemas';
import { type Definitions, type OpenApiDocument, readPodDefinitions } from './pod-definitions.ts';

const [version, published, served] = process.argv.slice(2);
if (version === undefined || published === undefined || served === undefined) {
  console.error('usage: pin.ts VERSION PUBLISHED SERVED');
  process.exit(2);
}

const bytes = readFileSync(published);
const asPublished = readPodDefinitions(JSON.parse(bytes.toString()) as OpenApiDocument);
const asServed = readPodDefinitions(JSON.parse(readFileSync(served, 'utf8')) as OpenApiDocument);
if (formatCanonicalJson(withoutEnums(asServed)) !== formatCanonicalJson(asPublished)) {
  console.error('the API server serves other definitions than were published: are both of the same version?');
  process.exit(1);
}
const pinned = {
  version,
  file: 'api/openapi-spec/v3/apis__apps__v1_openapi.json',
  sha256: createHash('sha256').update(bytes).digest('hex'),
  definitions: asServed,
};
writeFileSync(new URL('published.json', import.meta.url), `${JSON.stringify(pinned, null, 1)}\n`);

function withoutEnums(definitions: Definitions): Definitions {
  const text = JSON.stringify(definitions, (key, value: unknown) =>
    key === 'enum' && Array.isArray(value) ? undefined : value,
  );
  return JSON.parse(text) as Definitions;
}
