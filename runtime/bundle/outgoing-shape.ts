/** The shape of a backend's credential and headers. */
import type { BackendPlan, OutgoingAuthPlan } from '#schemas';
import { isHeaderName, isHeaderValue } from '#shared/plan';
import { count, findProblem, httpUrl, nullable, oneOf, type Shape, string, type ValueCheck } from './checks.ts';

export const headerName: ValueCheck = value =>
  typeof value === 'string' && isHeaderName(value) ? undefined : 'is not the name of a header';

export const headerValue: ValueCheck = value =>
  typeof value === 'string' && isHeaderValue(value) ? undefined : 'is not the value of a header';

export const SECRET: Shape = { env: nullable(string), file: nullable(string) };

const CLIENT = nullable({ id: string, secret: SECRET });
const SUBJECT: Shape = { type: oneOf('caller', 'upstream') };

/** Plans of each type, without `type`. */
const PLANS: Readonly<Record<OutgoingAuthPlan['type'], Shape>> = {
  unauthenticated: {},
  header_injection: { header: headerName, value: SECRET },
  token_exchange: {
    tokenUrl: httpUrl,
    client: CLIENT,
    audience: nullable(string),
    resource: nullable(string),
    scopes: [string],
    subjectTokenType: string,
    subject: SUBJECT,
  },
  upstream_inject: { provider: string },
  aws_sts: {
    region: string,
    service: string,
    mappings: [{ type: oneOf('value', 'cel'), roleArn: string }],
    fallbackRoleArn: nullable(string),
    roleClaim: string,
    sessionDurationSeconds: count,
    sessionNameClaim: string,
    subject: SUBJECT,
    stsUrl: httpUrl,
  },
  obo: {
    tokenUrl: httpUrl,
    client: CLIENT,
    audience: nullable(string),
    scopes: [string],
    subject: SUBJECT,
    cacheSkewSeconds: count,
  },
  xaa: {
    idp: { tokenUrl: httpUrl, client: CLIENT },
    target: { tokenUrl: httpUrl, client: CLIENT, audience: string, resource: nullable(string) },
    scopes: [string],
    provider: string,
  },
};

export const OUTGOING_AUTH: ValueCheck = oneOf(...Object.keys(PLANS));

/** Why a backend's credential or headers are invalid, or undefined. */
export function findOutgoingProblem({ auth, headers }: BackendPlan, at: string): string | undefined {
  const problem = findProblem(auth, PLANS[auth.type], `${at}.auth`) ?? findMemberProblem(auth, `${at}.auth`);
  if (problem !== undefined) return problem;
  for (const [index, { value }] of headers.entries()) {
    const shape: Shape = value.type === 'text' ? { text: headerValue } : { from: SECRET };
    const found = findProblem(value, shape, `${at}.headers[${index}].value`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Checks that involve several members. */
function findMemberProblem(auth: OutgoingAuthPlan, at: string): string | undefined {
  if ('subject' in auth && auth.subject.type === 'upstream') {
    return findProblem(auth.subject, { provider: string }, `${at}.subject`);
  }
  if (auth.type !== 'aws_sts') return undefined;
  for (const [index, mapping] of auth.mappings.entries()) {
    const shape: Shape = mapping.type === 'cel' ? { expression: string } : { value: string };
    const problem = findProblem(mapping, shape, `${at}.mappings[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
