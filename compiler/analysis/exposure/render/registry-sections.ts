/** The tables of a registry server's report. */
import type { RegistryFilterPlan } from '#schemas';
import { claimsText } from '../registry/claim-requirements.ts';
import type { ExposedRoute, RegistryExposure, RouteDecision, SentCredential } from '../registry/registry-exposure.ts';
import { type Cell, cell, type Section } from './section.ts';

/** Empty tables are left out. */
export function registrySections(exposure: RegistryExposure): readonly Section[] {
  return [providers(exposure), routes(exposure), registries(exposure), sources(exposure), credentials(exposure)].filter(
    ({ rows }) => rows.length > 0,
  );
}

function providers({ authentication }: RegistryExposure): Section {
  const accepted = authentication.type === 'anonymous' ? [] : authentication.providers;
  return {
    title: 'Providers, in the order in which they are asked',
    head: [{ name: 'name' }, { name: 'issuer' }, { name: 'audience' }, { name: 'tokens' }],
    rows: accepted.map(({ name, issuer, audience, acceptsOpaque }) => [
      cell(name),
      cell(issuer),
      cell(audience),
      cell(acceptsOpaque ? 'JWT, opaque' : 'JWT'),
    ]),
  };
}

/** One row for each answer that some callers get; an answer without a token deserves a look. */
function routes(exposure: RegistryExposure): Section {
  const { totals } = exposure;
  return {
    title: `Routes: ${totals.routes}, of them ${totals.open} without a token`,
    head: [{ name: 'route' }, { name: 'callers' }, { name: 'answer' }, { name: 'entries of' }],
    rows: grouped(exposure.routes).flatMap(([first, ...others]) => {
      const isOpen = first.access === 'public' && first.registry !== null;
      const path = `${first.method} ${first.path}${others.length === 0 ? '' : ` and ${others.length} below`}`;
      return byAnswer(first.answers).map(({ callers, answer }) => [
        cell(path, isOpen ? 'warn' : undefined),
        cell(callers.length === first.answers.length ? 'everyone' : callers.join('; ')),
        ...answerCells(answer),
      ]);
    }),
  };
}

function answerCells(answer: RouteDecision): readonly Cell[] {
  if (answer.answer === 'deny') return [cell(`deny (${answer.status})`), cell('')];
  const { sources } = answer;
  if (sources === undefined) return [cell('allow'), cell('')];
  return [cell('allow'), sources.length === 0 ? cell('no source', 'dim') : cell(sources.join(', '))];
}

/** Consecutive routes below the first one that answer alike share a row. */
function grouped(routes: readonly ExposedRoute[]): readonly (readonly [ExposedRoute, ...ExposedRoute[]])[] {
  const groups: [ExposedRoute, ...ExposedRoute[]][] = [];
  for (const route of routes) {
    const group = groups.at(-1);
    if (group !== undefined && isAlike(group[0], route)) group.push(route);
    else groups.push([route]);
  }
  return groups;
}

function isAlike(first: ExposedRoute, route: ExposedRoute): boolean {
  if (first.registry === null || first.registry !== route.registry || first.method !== route.method) return false;
  return route.path.startsWith(`${first.path}/`) && JSON.stringify(first.answers) === JSON.stringify(route.answers);
}

function byAnswer(answers: readonly RouteDecision[]): readonly { callers: readonly string[]; answer: RouteDecision }[] {
  const groups = Map.groupBy(answers, ({ caller: _, ...answer }) => JSON.stringify(answer));
  return [...groups.values()].flatMap(group => {
    const [answer] = group;
    return answer === undefined ? [] : [{ callers: group.map(({ caller }) => caller), answer }];
  });
}

function registries({ registries, authorization }: RegistryExposure): Section {
  return {
    title: `Registries: ${registries.length}`,
    head: [{ name: 'name' }, { name: 'sources, best first' }, { name: 'claims' }],
    rows: registries.map(({ name, sources, claims }) => [
      cell(name),
      cell(sources.join(', ')),
      cell(authorization.type === 'claims' && claims !== null ? claimsText(claims) : ''),
    ]),
  };
}

function sources({ sources, authorization }: RegistryExposure): Section {
  return {
    title: `Sources: ${sources.length}`,
    head: [
      { name: 'name' },
      { name: 'type' },
      { name: 'from' },
      { name: 'entries', align: 'right' },
      { name: 'filter' },
      { name: 'claims' },
      { name: 'shown by' },
    ],
    rows: sources.map(({ name, type, from, entries, filter, claims, registries }) => [
      cell(name),
      cell(type),
      cell(from),
      cell(entries === null ? '' : String(entries)),
      cell(filter === undefined ? '' : filterText(filter)),
      cell(authorization.type === 'claims' && claims !== null ? claimsText(claims) : ''),
      registries.length === 0 ? cell('nobody', 'dim') : cell(registries.join(', ')),
    ]),
  };
}

/** Such as `names com.example/*, without tags secret`; empty where everything passes. */
export function filterText({ names, tags }: RegistryFilterPlan): string {
  const parts = (['names', 'tags'] as const).flatMap(kind => {
    const { include, exclude } = { names, tags }[kind];
    return [
      ...(include.length === 0 ? [] : [`${kind} ${include.join(', ')}`]),
      ...(exclude.length === 0 ? [] : [`without ${kind} ${exclude.join(', ')}`]),
    ];
  });
  return parts.join('; ');
}

const USES: { readonly [U in SentCredential['use']]: string } = {
  keys: 'keys',
  introspection: 'the token of the caller, to look it up',
  entries: 'entries',
};

function credentials({ credentials }: RegistryExposure): Section {
  return {
    title: 'Credentials sent to others',
    head: [{ name: 'to' }, { name: 'url' }, { name: 'for' }, { name: 'credential' }],
    rows: credentials.map(credential => [
      cell(`${credential.to.type} ${credential.to.name}`),
      cell(credential.url),
      cell(USES[credential.use]),
      cell(sentCredentialText(credential)),
    ]),
  };
}

/** Describes the parts of the credential and where its secrets are stored. */
export function sentCredentialText({ type, username, file }: SentCredential): string {
  if (type === 'none') return 'none';
  if (type === 'public') return `client ${username ?? ''}, without a secret`;
  const place = file === undefined ? '' : ` in ${file}`;
  return type === 'bearer' ? `bearer token${place}` : `user ${username ?? ''}, secret${place}`;
}
