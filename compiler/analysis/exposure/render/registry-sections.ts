/** The tables of a registry server's report. */
import type { RegistryFilterPlan } from '#schemas';
import { formatClaims } from '../registry/claim-requirements.ts';
import type { ExposedRoute, RegistryExposure, RouteDecision, SentCredential } from '../registry/registry-exposure.ts';
import { type Cell, type Section, toCell } from './section.ts';

/** The tables of the report, without those that are empty. */
export function renderRegistrySections(exposure: RegistryExposure): readonly Section[] {
  return [
    renderProviders(exposure),
    renderRoutes(exposure),
    renderRegistries(exposure),
    renderSources(exposure),
    renderCredentials(exposure),
  ].filter(({ rows }) => rows.length > 0);
}

function renderProviders({ authentication }: RegistryExposure): Section {
  const accepted = authentication.type === 'anonymous' ? [] : authentication.providers;
  return {
    title: 'Providers, in the order in which they are asked',
    head: [{ name: 'name' }, { name: 'issuer' }, { name: 'audience' }, { name: 'tokens' }],
    rows: accepted.map(({ name, issuer, audience, acceptsOpaque }) => [
      toCell(name),
      toCell(issuer),
      toCell(audience),
      toCell(acceptsOpaque ? 'JWT, opaque' : 'JWT'),
    ]),
  };
}

/** One row for each distinct answer and the callers who get it; an answer without a token deserves a look. */
function renderRoutes(exposure: RegistryExposure): Section {
  const { totals } = exposure;
  return {
    title: `Routes: ${totals.routes}, of them ${totals.open} without a token`,
    head: [{ name: 'route' }, { name: 'callers' }, { name: 'answer' }, { name: 'entries of' }],
    rows: groupRoutes(exposure.routes).flatMap(([first, ...others]) => {
      const isOpen = first.access === 'public' && first.registry !== null;
      const path = `${first.method} ${first.path}${others.length === 0 ? '' : ` and ${others.length} below`}`;
      return groupByAnswer(first.answers).map(({ callers, answer }) => [
        toCell(path, isOpen ? 'warn' : undefined),
        toCell(callers.length === first.answers.length ? 'everyone' : callers.join('; ')),
        ...answerCells(answer),
      ]);
    }),
  };
}

function answerCells(answer: RouteDecision): readonly Cell[] {
  if (answer.answer === 'deny') return [toCell(`deny (${answer.status})`), toCell('')];
  const { sources } = answer;
  if (sources === undefined) return [toCell('allow'), toCell('')];
  return [toCell('allow'), sources.length === 0 ? toCell('no source', 'dim') : toCell(sources.join(', '))];
}

/** Groups routes for the table: a route that lies below the route before it and has the same answers gets no row of its own. */
function groupRoutes(routes: readonly ExposedRoute[]): readonly (readonly [ExposedRoute, ...ExposedRoute[]])[] {
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

function groupByAnswer(
  answers: readonly RouteDecision[],
): readonly { callers: readonly string[]; answer: RouteDecision }[] {
  const groups = Map.groupBy(answers, ({ caller: _, ...answer }) => JSON.stringify(answer));
  return [...groups.values()].flatMap(group => {
    const [answer] = group;
    return answer === undefined ? [] : [{ callers: group.map(({ caller }) => caller), answer }];
  });
}

function renderRegistries({ registries, authorization }: RegistryExposure): Section {
  return {
    title: `Registries: ${registries.length}`,
    head: [{ name: 'name' }, { name: 'sources, best first' }, { name: 'claims' }],
    rows: registries.map(({ name, sources, claims }) => [
      toCell(name),
      toCell(sources.join(', ')),
      toCell(authorization.type === 'claims' && claims !== null ? formatClaims(claims) : ''),
    ]),
  };
}

function renderSources({ sources, authorization }: RegistryExposure): Section {
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
      toCell(name),
      toCell(type),
      toCell(from),
      toCell(entries === null ? '' : String(entries)),
      toCell(filter === undefined ? '' : filterText(filter)),
      toCell(authorization.type === 'claims' && claims !== null ? formatClaims(claims) : ''),
      registries.length === 0 ? toCell('nobody', 'dim') : toCell(registries.join(', ')),
    ]),
  };
}

/** A filter in words, such as `names com.example/*, without tags secret`; empty for a filter that passes everything. */
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

function renderCredentials({ credentials }: RegistryExposure): Section {
  return {
    title: 'Credentials sent to others',
    head: [{ name: 'to' }, { name: 'url' }, { name: 'for' }, { name: 'credential' }],
    rows: credentials.map(credential => [
      toCell(`${credential.to.type} ${credential.to.name}`),
      toCell(credential.url),
      toCell(USES[credential.use]),
      toCell(formatSentCredential(credential)),
    ]),
  };
}

/** Describes the parts of the credential and where its secrets are stored. */
export function formatSentCredential({ type, username, file }: SentCredential): string {
  if (type === 'none') return 'none';
  if (type === 'public') return `client ${username ?? ''}, without a secret`;
  const location = file === undefined ? '' : ` in ${file}`;
  return type === 'bearer' ? `bearer token${location}` : `user ${username ?? ''}, secret${location}`;
}
