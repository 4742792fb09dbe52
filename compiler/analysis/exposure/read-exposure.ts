/** Exposures read from files: of an earlier build, of another version, or handwritten. */
import { isObject } from '#schemas';
import { EXPOSURE_FORMAT_VERSION, type Exposure } from './exposure.ts';
import type { RegistryExposure } from './registry/registry-exposure.ts';

/**
 * The exposures in a document: one, as a build writes it, or all of a report. Undefined for anything else. Members that diffs read are
 * validated; other members may be missing.
 */
export function readExposures(value: unknown): readonly (Exposure | RegistryExposure)[] | undefined {
  if (!isObject(value) || value.formatVersion !== EXPOSURE_FORMAT_VERSION) return undefined;
  if (isOne(value)) return [value];
  const { gateways, registries } = value;
  if (!Array.isArray(gateways) || !Array.isArray(registries)) return undefined;
  const all: readonly unknown[] = [...gateways, ...registries];
  return all.every(isOne) ? all : undefined;
}

function isOne(value: unknown): value is Exposure | RegistryExposure {
  return isGateway(value) || isRegistry(value);
}

type Predicate = (value: unknown) => boolean;

const text: Predicate = value => typeof value === 'string';
const number: Predicate = value => typeof value === 'number';
const nothing: Predicate = value => value === null;
const truth: Predicate = value => typeof value === 'boolean';

const either =
  (...checks: readonly Predicate[]): Predicate =>
  value =>
    checks.some(check => check(value));
const maybe = (check: Predicate): Predicate => either(value => value === undefined, check);
const exactly =
  (...values: readonly unknown[]): Predicate =>
  value =>
    values.includes(value);
const list =
  (check: Predicate): Predicate =>
  value =>
    Array.isArray(value) && value.every(check);
const object =
  (members: { readonly [name: string]: Predicate }): Predicate =>
  value =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]));
const dictionary =
  (check: Predicate): Predicate =>
  value =>
    isObject(value) && Object.values(value).every(check);

const named = { name: text };
const condition = object({ policy: text, text });
const grant = object({ permit: condition, forbids: list(condition) });
const who = either(
  object({ type: exactly('everyone', 'nobody', 'unknown') }),
  object({ type: exactly('some'), anyOf: list(grant) }),
);
const source = object({ kind: text, name: text });
const hint = maybe(object({ value: truth, from: text, backend: maybe(truth) }));
const hints = object({ readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint });
const listed = { name: text, digest: text, hints, direct: who };

const secretPlace = either(
  object({ type: exactly('secret'), name: text, key: text }),
  object({ type: exactly('env'), name: text }),
);
const secret = object({ use: text, from: secretPlace });
const credential = object({
  strategy: exactly(
    'none',
    'headers',
    'header_injection',
    'token_exchange',
    'upstream_inject',
    'aws_sts',
    'obo',
    'xaa',
  ),
  identity: text,
  from: either(nothing, source),
  header: maybe(text),
  provider: maybe(text),
  tokenUrl: maybe(text),
  audience: maybe(text),
  scopes: maybe(list(text)),
  region: maybe(text),
  roles: maybe(list(text)),
  secrets: list(secret),
});

const ownSecret = object({
  ...named,
  from: either(
    secretPlace,
    object({ type: exactly('spec') }),
    object({ type: exactly('object'), kind: text, name: text }),
    object({ type: exactly('account'), name: text }),
    object({ type: exactly('file'), path: text }),
  ),
});

const workload = dictionary(text);

const uri = object({ uri: text, backend: text, digest: text, direct: who });

const gateway = object({
  formatVersion: exactly(EXPOSURE_FORMAT_VERSION),
  kind: exactly('gateway'),
  namespace: text,
  name: text,
  complete: truth,
  authentication: either(
    object({ type: exactly('anonymous', 'local') }),
    object({
      type: exactly('oidc'),
      issuer: either(nothing, text),
      audience: either(nothing, text),
      scopes: maybe(list(text)),
    }),
  ),
  authorization: either(
    object({ type: exactly('none') }),
    object({ type: exactly('cedar'), policies: either(nothing, number), source }),
  ),
  listing: exactly('tools', 'optimizer'),
  escapeHatches: maybe(list(text)),
  embeddingServer: maybe(object({ ...named, workload })),
  plan: maybe(isObject),
  bundle: maybe(text),
  callers: list(object({ who, tools: list(text), composites: list(text), prompts: list(text), resources: list(text) })),
  backends: list(
    object({
      ...named,
      key: text,
      url: text,
      transport: text,
      credential,
      headers: list(object({ ...named, from: exactly('caller', 'spec', 'secret'), secret: maybe(secretPlace) })),
      urlSecret: maybe(text),
      ownSecrets: maybe(list(ownSecret)),
      workload: maybe(workload),
    }),
  ),
  tools: list(
    object({
      ...listed,
      backend: text,
      originalName: text,
      visibility: exactly('advertised', 'hidden'),
      through: list(object({ composite: text, step: text })),
      reach: who,
    }),
  ),
  composites: list(
    object({
      ...listed,
      calls: list(
        object({
          step: text,
          reference: text,
          tool: either(nothing, text),
          asks: maybe(list(object({ step: text, message: text, isOptional: truth }))),
        }),
      ),
    }),
  ),
  prompts: list(object({ ...named, backend: text, originalName: text, digest: text, direct: who })),
  resources: list(uri),
  resourceTemplates: list(uri),
});

const claims = dictionary(list(text));
const ownClaims = either(nothing, claims);
const filterLists = object({ include: list(text), exclude: list(text) });
const answer = either(
  object({ caller: text, answer: exactly('deny'), status: number }),
  object({ caller: text, answer: exactly('allow'), sources: maybe(list(text)) }),
);

const registry = object({
  formatVersion: exactly(EXPOSURE_FORMAT_VERSION),
  kind: exactly('registry'),
  namespace: text,
  name: text,
  authentication: either(
    object({ type: exactly('anonymous') }),
    object({
      type: exactly('oauth'),
      resource: text,
      providers: list(object({ ...named, issuer: text, audience: text, acceptsOpaque: truth })),
    }),
  ),
  authorization: either(
    object({ type: exactly('none', 'authenticated') }),
    object({ type: exactly('claims'), superAdmins: list(claims) }),
  ),
  plan: maybe(isObject),
  bundle: maybe(text),
  callers: list(object({ ...named, type: text })),
  routes: list(
    object({ method: text, path: text, access: text, registry: either(nothing, text), answers: list(answer) }),
  ),
  registries: list(object({ ...named, sources: list(text), claims: ownClaims })),
  sources: list(
    object({
      ...named,
      type: text,
      from: text,
      entries: either(nothing, number),
      offers: maybe(list(object({ ...named, digest: text }))),
      filter: maybe(object({ names: filterLists, tags: filterLists })),
      claims: ownClaims,
    }),
  ),
  credentials: list(
    object({
      to: object({ type: text, name: text }),
      use: text,
      url: text,
      type: exactly('none', 'public', 'basic', 'bearer'),
      username: maybe(text),
      file: maybe(text),
    }),
  ),
});

function isGateway(value: unknown): value is Exposure {
  return gateway(value);
}

function isRegistry(value: unknown): value is RegistryExposure {
  return registry(value);
}
