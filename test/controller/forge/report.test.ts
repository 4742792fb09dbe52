/** One suite for all forges: what the controller posts, once, and what happens when they refuse it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommitReport, UnitResult } from '../../../controller/forge/commit-report.ts';
import type { Forge } from '../../../controller/forge/forge.ts';
import { formatMarker } from '../../../controller/forge/own-comment.ts';
import { PROVIDERS } from '../../../controller/forge/providers.ts';
import { type ReportOptions, reportToForge } from '../../../controller/forge/report.ts';
import { parseRepositoryLocation } from '../../../controller/forge/repository-location.ts';
import { STUB_TOKEN, StubForge, type StubProvider } from '../../support/forge.ts';

const COMMIT = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const NEXT = 'c5b97d5ae6c19d5c5df71a34c7fbeeda2479ccbc';
const SOURCE = { namespace: 'team', name: 'gateways' };
const OPTIONS: ReportOptions = { context: 'prod', comment: true };
const MARKER = formatMarker(SOURCE, 'prod');
const NOW = Date.UTC(2026, 10, 22);
const FAILED = { github: 'failure', gitlab: 'failed', gitea: 'failure' } as const;

const signal = new AbortController().signal;

function unit(name: string, state: UnitResult['state'], description: string = state): UnitResult {
  return { kind: 'gateway', namespace: 'team', name, state, description, findings: [] };
}

function facts(state: UnitResult['state'], more: Partial<CommitReport> = {}): CommitReport {
  return {
    source: SOURCE,
    commit: COMMIT,
    revision: `main@sha1:${COMMIT}`,
    state,
    description: `it is ${state}`,
    linkTarget: { path: 'gateways', isFolder: true },
    units: [unit('eng', state)],
    findings: [],
    difference: undefined,
    ...more,
  };
}

async function started(provider: StubProvider, token = STUB_TOKEN) {
  const stub = await StubForge.start(provider);
  onTestFinished(() => stub[Symbol.asyncDispose]());
  stub.commits.set(COMMIT, [5]);
  stub.commits.set(NEXT, [6]);
  return { stub, forge: client(stub, token) };
}

function client(stub: StubForge, token = STUB_TOKEN, timeoutMs?: number): Forge {
  const location = parseRepositoryLocation(`${stub.origin}/${stub.repository}.git`);
  const forge = PROVIDERS[stub.provider]({ location, apiUrl: stub.apiUrl, token, now: () => NOW, timeoutMs });
  onTestFinished(() => forge.close());
  return forge;
}

const posts = (stub: StubForge) => stub.requests.filter(({ method }) => method !== 'GET').length;
const bodies = (stub: StubForge, number = 5) => (stub.comments.get(number) ?? []).map(({ body }) => body);

describe.each(['github', 'gitlab', 'gitea'] as const)('%s', provider => {
  test(`the controller posts a failed commit status to ${provider} for the source and for each gateway`, async () => {
    const { stub, forge } = await started(provider);
    const failed = facts('failure', {
      description: 'LNT1003 gateways/eng.yaml:7: unknown field (+2 more)',
      units: [unit('eng', 'failure', 'LNT1003 gateways/eng.yaml:7: unknown field'), unit('ops', 'failure')],
      findings: ['LNT1003 gateways/eng.yaml:7: unknown field "toolz"'],
    });
    const { failure, remaining, commentFailure } = await reportToForge(failed, forge, undefined, OPTIONS, signal);
    expect([failure, remaining, commentFailure]).toEqual([undefined, 0, undefined]);
    expect(stub.statusesOf(COMMIT)).toEqual({
      prod: `${FAILED[provider]}: LNT1003 gateways/eng.yaml:7: unknown field (+2 more)`,
      'prod/team/eng': `${FAILED[provider]}: LNT1003 gateways/eng.yaml:7: unknown field`,
      'prod/team/ops': `${FAILED[provider]}: failure`,
    });
    const [body = ''] = bodies(stub);
    expect(body.startsWith(MARKER)).toBe(true);
    expect(body).toContain('**failed**');
    expect(body).toContain('- LNT1003 gateways/eng.yaml:7: unknown field "toolz"');
  });

  test(`each commit status on ${provider} links to its file and line at the commit`, async () => {
    const { stub, forge } = await started(provider);
    const place = { path: 'gateways/team a/eng.yaml', isFolder: false, line: 7 };
    await reportToForge(
      facts('failure', { units: [{ ...unit('eng', 'failure'), linkTarget: place }, unit('ops', 'success')] }),
      forge,
      undefined,
      OPTIONS,
      signal,
    );
    const root = `${stub.origin}/${stub.repository}`;
    const [folder, file] = {
      github: [`tree/${COMMIT}`, `blob/${COMMIT}`],
      gitlab: [`-/tree/${COMMIT}`, `-/blob/${COMMIT}`],
      gitea: [`src/commit/${COMMIT}`, `src/commit/${COMMIT}`],
    }[provider];
    expect(Object.fromEntries(stub.statuses.map(({ context, url }) => [context, url]))).toEqual({
      prod: `${root}/${folder}/gateways`,
      'prod/team/eng': `${root}/${file}/gateways/team%20a/eng.yaml#L7`,
      'prod/team/ops': undefined,
    });
  });

  test(`the comment on a ${provider} pull request lists each finding once`, async () => {
    const { stub, forge } = await started(provider);
    const one = 'LNT1003 gateways/eng.yaml:7: unknown field';
    const other = 'LNT2001 gateways/group.yaml:3: no such group';
    const withFindings = (name: string, findings: readonly string[]): UnitResult => ({
      ...unit(name, 'failure', findings[0]),
      findings,
    });
    const failed = facts('failure', {
      description: `main@sha1:${COMMIT}: gateways/eng.yaml:7: LNT1003: unknown field (+1 more)`,
      units: [withFindings('eng', [one, other]), withFindings('ops', [other]), unit('web', 'failure', 'not applied')],
      findings: [one, other],
    });
    await reportToForge(failed, forge, undefined, OPTIONS, signal);
    const [body = ''] = bodies(stub);
    for (const words of ['unknown field', 'no such group', 'LNT1003', 'LNT2001']) {
      expect(body.split(words), words).toHaveLength(2);
    }
    expect(body).toContain('| team/eng | **failed** | 2 findings, see below |');
    expect(body).toContain('| team/ops | **failed** | 1 finding, see below |');
    expect(body).toContain('| team/web | **failed** | not applied |');
  });

  test(`the code of a finding in a ${provider} comment links to its page on the documentation site that lintel.yaml names`, async () => {
    const { stub, forge } = await started(provider);
    const failed = facts('failure', {
      findings: ['LNT1003 gateways/eng.yaml:7: unknown field "toolz"', 'LNT9999 a.yaml: of a later version'],
      documentation: 'https://docs.example.com/lintel',
    });
    await reportToForge(failed, forge, undefined, OPTIONS, signal);
    const [body = ''] = bodies(stub);
    const page = 'https://docs.example.com/lintel/codes/LNT1003.html';
    expect(body).toContain(`- [LNT1003](${page}) gateways/eng.yaml&#58;7`.replace('&#58;', ':'));
    expect(body).toContain('- LNT9999 a.yaml');
  });

  test(`a commit status on ${provider} changes from pending to failure, and from failure to success`, async () => {
    const { stub, forge } = await started(provider);
    let posted: string | undefined;
    for (const state of ['pending', 'failure', 'success'] as const) {
      ({ posted } = await reportToForge(facts(state), forge, posted, OPTIONS, signal));
    }
    const told = stub.statuses.filter(({ context }) => context === 'prod/team/eng').map(({ state }) => state);
    expect(told).toEqual(['pending', FAILED[provider], 'success']);
    expect(bodies(stub)).toHaveLength(1);
    expect(bodies(stub)[0]).toContain('| team/eng | active | success |');
  });

  test(`the controller does not post a commit status to ${provider} again, not even after a restart`, async () => {
    const { stub, forge } = await started(provider);
    const { posted } = await reportToForge(facts('success'), forge, undefined, OPTIONS, signal);
    const asked = stub.requests.length;
    const again = await reportToForge(facts('success'), client(stub), posted, OPTIONS, signal);
    expect([again.posted, again.written, stub.requests.length]).toEqual([posted, 0, asked]);
  });

  test(`the controller does not post a success to ${provider} again when only the number of pods changes`, async () => {
    const { stub, forge } = await started(provider);
    const on = (pods: string) => facts('success', { units: [unit('eng', 'success', `active on ${pods} pods`)] });
    const { posted } = await reportToForge(on('3/3'), forge, undefined, OPTIONS, signal);
    expect(stub.statusesOf(COMMIT)).toHaveProperty('prod/team/eng', 'success: active on 3/3 pods');
    const again = await reportToForge(on('4/4'), forge, posted, OPTIONS, signal);
    expect([again.posted, again.written]).toEqual([posted, 0]);
  });

  test(`the controller posts only changed commit statuses to ${provider}, and all of them for a new commit`, async () => {
    const { stub, forge } = await started(provider);
    const two = (state: UnitResult['state']) =>
      facts('pending', { units: [unit('eng', state), unit('ops', 'pending')] });
    const first = await reportToForge(two('pending'), forge, undefined, OPTIONS, signal);
    const before = stub.statuses.length;
    const second = await reportToForge(two('failure'), forge, first.posted, OPTIONS, signal);
    expect(stub.statuses.slice(before).map(({ context }) => context)).toEqual(['prod/team/eng']);
    await reportToForge({ ...two('failure'), commit: NEXT }, forge, second.posted, OPTIONS, signal);
    expect(Object.keys(stub.statusesOf(NEXT)).sort()).toEqual(['prod', 'prod/team/eng', 'prod/team/ops']);
  });

  test(`a controller that crashed before it recorded a status posts the status to ${provider} again, and no second comment`, async () => {
    const { stub, forge } = await started(provider);
    await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
    const { posted } = await reportToForge(facts('failure'), client(stub), undefined, OPTIONS, signal);
    await reportToForge(facts('failure'), client(stub), posted, OPTIONS, signal);
    expect(stub.statuses.filter(({ context }) => context === 'prod')).toHaveLength(2);
    expect(bodies(stub)).toHaveLength(1);
  });

  test(`a second post of the same pending status to ${provider} does not count as a failure`, async () => {
    const { stub, forge } = await started(provider);
    await reportToForge(facts('pending'), forge, undefined, OPTIONS, signal);
    const { failure } = await reportToForge(facts('pending'), forge, undefined, OPTIONS, signal);
    expect(failure).toBeUndefined();
    expect(stub.statusesOf(COMMIT)).toHaveProperty('prod/team/eng', 'pending: pending');
  });

  test(`after a failure half-way the controller records the statuses that ${provider} accepted, and later posts the remaining statuses`, async () => {
    const { stub, forge } = await started(provider);
    const many = facts('failure', { units: ['a', 'b', 'c', 'd'].map(name => unit(name, 'failure')) });
    let taken = 0;
    stub.intercept = ({ path }) => {
      taken += Number(path.includes('/statuses/'));
      return taken > 3 ? { status: 503, body: {} } : undefined;
    };
    const { posted, failure, written, remaining } = await reportToForge(many, forge, undefined, OPTIONS, signal);
    expect([failure?.failure, failure?.isLasting, written, remaining]).toEqual(['unavailable', false, 3, 2]);
    stub.intercept = () => undefined;
    await reportToForge(many, forge, posted, OPTIONS, signal);
    expect(stub.statuses).toHaveLength(5);
  });

  test(`the controller cuts a long description for ${provider} between characters and puts it on one line`, async () => {
    const { stub, forge } = await started(provider);
    const description = `first\nline ${'🦊'.repeat(400)}`;
    const { failure } = await reportToForge(facts('failure', { description }), forge, undefined, OPTIONS, signal);
    expect(failure).toBeUndefined();
    const [{ description: shown } = { description: '' }] = stub.statuses;
    expect(shown.length).toBeLessThanOrEqual(provider === 'github' ? 140 : 255);
    expect(shown).toMatch(/^first line 🦊+…$/u);
    expect(shown.isWellFormed()).toBe(true);
  });

  test.each([
    [401, 'unauthorized', 'the token is not valid'],
    [403, 'forbidden', 'the token lacks the permission'],
    [404, 'notFound', 'the token may not see it'],
    [422, 'invalid', 'the forge refuses the request (422)'],
  ] as const)(
    'the controller treats HTTP %d of the forge as %s, and the message says what to do',
    async (status, expected, words) => {
      const { stub, forge } = await started(provider);
      stub.intercept = () => ({ status, body: { message: `no, ${STUB_TOKEN}` } });
      const { failure, written } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
      expect([failure?.failure, failure?.isLasting, written]).toEqual([expected, true, 0]);
      expect(failure?.message).toContain(words);
      expect(failure?.message).not.toContain(STUB_TOKEN);
      expect(stub.requests).toHaveLength(1);
    },
  );

  test.each([
    ['429 with seconds', { status: 429, headers: { 'retry-after': '30' } }, 30_000],
    ['429 with a date', { status: 429, headers: { 'retry-after': new Date(NOW + 90_000).toUTCString() } }, 90_000],
    ['429 without Retry-After', { status: 429 }, 60_000],
    [
      '403 with x-ratelimit-remaining: 0',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 120) } },
      120_000,
    ],
    ['403 with Retry-After', { status: 403, headers: { 'retry-after': '5' } }, 5_000],
    [
      '403 with a message about a rate limit',
      { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } },
      60_000,
    ],
    [
      '429 with a wait of a year, which is limited to an hour',
      { status: 429, headers: { 'retry-after': '31536000' } },
      3_600_000,
    ],
  ])('the controller waits after an answer of the forge about a rate limit: %s', async (_, answer, retryAfterMs) => {
    const { stub, forge } = await started(provider);
    stub.intercept = () => answer;
    const { failure } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
    expect([failure?.failure, failure?.isLasting, failure?.retryAfterMs]).toEqual(['rateLimited', false, retryAfterMs]);
  });

  test(`the controller follows no redirect of ${provider}, so that the token is not sent to another host`, async () => {
    const { stub, forge } = await started(provider);
    const other = await StubForge.start(provider);
    onTestFinished(() => other[Symbol.asyncDispose]());
    stub.intercept = ({ path }) => ({ status: 307, headers: { location: other.origin + path } });
    const { failure } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
    expect([failure?.failure, other.requests]).toEqual(['invalid', []]);
  });

  test(`the controller does not follow a link of ${provider} to a next page on another host`, async () => {
    const { stub, forge } = await started(provider);
    const other = await StubForge.start(provider);
    onTestFinished(() => other[Symbol.asyncDispose]());
    const link = `<${other.apiUrl}/anything>; rel="next"`;
    stub.intercept = ({ method, path }) =>
      method === 'GET' && /comments|notes/.test(path) ? { status: 200, headers: { link }, body: [] } : undefined;
    const { failure, commentFailure } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
    expect(failure).toBeUndefined();
    expect([commentFailure?.failure, other.requests]).toEqual(['unexpected', []]);
  });

  test.each([
    ['not JSON', { status: 200, body: '<html>sign in</html>' }],
    ['an object instead of a list', { status: 200, body: { items: [] } }],
    ['a list with a comment without an id', { status: 200, body: [{ body: 'x' }] }],
  ])('the controller rejects an answer of the forge API that is %s', async (_, answer) => {
    const { stub, forge } = await started(provider);
    stub.intercept = ({ method, path }) => (method === 'GET' && /comments|notes/.test(path) ? answer : undefined);
    const { commentFailure, posted } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
    expect(commentFailure?.failure).toBe('unexpected');
    // It is not posted again until the state changes.
    const before = stub.requests.length;
    await reportToForge(facts('failure'), forge, posted, OPTIONS, signal);
    expect(stub.requests).toHaveLength(before);
  });

  test(`the controller stops reading a very long answer of ${provider}, and reports an error when no answer arrives in time`, async () => {
    const { stub } = await started(provider);
    stub.intercept = () => ({ status: 200, body: 'x'.repeat(17 * 1024 * 1024) });
    const tooLong = await reportToForge(facts('failure'), client(stub), undefined, OPTIONS, signal);
    expect(tooLong.failure?.failure).toBe('unavailable');
    stub.intercept = () => new Promise(() => {});
    const never = await reportToForge(facts('failure'), client(stub, STUB_TOKEN, 50), undefined, OPTIONS, signal);
    expect(never.failure?.message).toContain('no answer within 0.05 s');
  });

  test(`an aborted report to ${provider} ends at once`, async () => {
    const { stub, forge } = await started(provider);
    const abort = new AbortController();
    stub.intercept = () => {
      abort.abort(new Error('a newer revision'));
      return new Promise(() => {});
    };
    await expect(reportToForge(facts('failure'), forge, undefined, OPTIONS, abort.signal)).rejects.toThrow(
      'a newer revision',
    );
  });

  describe('the comment', () => {
    test(`the controller finds its comment on a later page of ${provider} comments and edits it`, async () => {
      const { stub, forge } = await started(provider);
      for (let at = 0; at < 5; at += 1) stub.addComment(5, `comment ${at}`);
      await reportToForge(facts('pending'), forge, undefined, OPTIONS, signal);
      stub.addComment(5, 'thanks');
      await reportToForge(facts('success'), forge, undefined, OPTIONS, signal);
      expect(bodies(stub)).toHaveLength(7);
      expect(bodies(stub).filter(body => body.startsWith(MARKER))).toHaveLength(1);
      expect(bodies(stub)[5]).toContain('it is success');
    });

    test(`the controller does not send an unchanged comment to ${provider}, even if the stored line breaks differ`, async () => {
      const { stub, forge } = await started(provider);
      await reportToForge(facts('success'), forge, undefined, { ...OPTIONS }, signal);
      for (const comment of stub.comments.get(5) ?? []) comment.body = comment.body.replaceAll('\n', '\r\n').trimEnd();
      const before = posts(stub);
      await reportToForge(facts('success'), forge, undefined, OPTIONS, signal);
      expect(posts(stub) - before).toBe(2);
    });

    test(`the controller does not edit a ${provider} comment of another person that has the same marker`, async () => {
      const { stub, forge } = await started(provider);
      stub.addComment(5, `${MARKER}\nall is well, trust me`);
      await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
      expect(bodies(stub)).toHaveLength(2);
      expect(bodies(stub)[0]).toContain('trust me');
    });

    test(`each source and each cluster has its own comment on a ${provider} pull request`, async () => {
      const { stub, forge } = await started(provider);
      await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
      await reportToForge(facts('success'), forge, undefined, { ...OPTIONS, context: 'staging' }, signal);
      await reportToForge(
        facts('success', { source: { namespace: 'team', name: 'other' } }),
        forge,
        undefined,
        OPTIONS,
        signal,
      );
      expect(new Set(bodies(stub).map(body => body.split('\n')[0])).size).toBe(3);
    });

    test(`two simultaneous reports of the controller leave one comment on a ${provider} pull request`, async () => {
      const { stub, forge } = await started(provider);
      // Both have read the state before either writes.
      const { promise: bothLooked, resolve } = Promise.withResolvers<undefined>();
      let looked = 0;
      stub.intercept = ({ method, path }) => {
        if (!/(?:issues\/5\/comments|merge_requests\/5\/notes)/.test(path)) return undefined;
        if (method === 'GET') looked += 1;
        if (looked >= 2) resolve(undefined);
        return method === 'POST' ? bothLooked : undefined;
      };
      const both = [facts('failure'), facts('failure')].map(one =>
        reportToForge(one, client(stub), undefined, OPTIONS, signal),
      );
      const outcomes = await Promise.all([...both, bothLooked]);
      expect(outcomes.slice(0, 2).map(one => one?.failure ?? one?.commentFailure)).toEqual([undefined, undefined]);
      expect(bodies(stub).filter(body => body.startsWith(MARKER))).toHaveLength(1);
      await reportToForge(facts('success'), forge, undefined, OPTIONS, signal);
      expect(bodies(stub)).toHaveLength(1);
    });

    test(`the controller posts commit statuses to ${provider} without a comment if its token may not comment`, async () => {
      const { stub, forge } = await started(provider);
      stub.users.set(STUB_TOKEN, { id: 7, mayComment: false });
      const { posted, failure, commentFailure } = await reportToForge(
        facts('failure'),
        forge,
        undefined,
        OPTIONS,
        signal,
      );
      expect([failure, commentFailure?.failure]).toEqual([undefined, 'forbidden']);
      expect(stub.statusesOf(COMMIT)).toHaveProperty('prod/team/eng');
      const before = stub.requests.length;
      await reportToForge(facts('failure'), forge, posted, OPTIONS, signal);
      expect(stub.requests).toHaveLength(before);
    });

    test(`the controller edits its ${provider} comment with a token whose user is unknown`, async () => {
      const { stub, forge } = await started(provider);
      stub.users.set(STUB_TOKEN, { id: 7, mayComment: true, isApp: true });
      await reportToForge(facts('pending'), forge, undefined, OPTIONS, signal);
      await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
      expect(bodies(stub)).toHaveLength(1);
    });

    test(`the controller comments only on a ${provider} pull request, and not if comments are switched off`, async () => {
      const { stub, forge } = await started(provider);
      stub.commits.set(COMMIT, []);
      const { failure, commentFailure } = await reportToForge(facts('failure'), forge, undefined, OPTIONS, signal);
      expect([failure, commentFailure, stub.comments.size]).toEqual([undefined, undefined, 0]);
      stub.commits.set(COMMIT, [5]);
      await reportToForge(facts('failure'), forge, undefined, { ...OPTIONS, comment: false }, signal);
      expect(stub.comments.size).toBe(0);
    });

    test(`a ${provider} comment keeps the comparison of access when a later report about the same commit has no comparison`, async () => {
      const { stub, forge } = await started(provider);
      const difference = () => '**1 of 1 gateway differs: 1 wider**\n';
      await reportToForge(facts('pending', { difference }), forge, undefined, OPTIONS, signal);
      await reportToForge(facts('success'), client(stub), undefined, OPTIONS, signal);
      expect(bodies(stub)[0]).toContain('it is success');
      expect(bodies(stub)[0]).toContain('1 wider');
      stub.commits.set(NEXT, [5]);
      await reportToForge({ ...facts('success'), commit: NEXT }, forge, undefined, OPTIONS, signal);
      expect(bodies(stub)[0]).not.toContain('1 wider');
    });

    test(`a ${provider} comment stays within the size limit, and escapes tags, mentions and links in messages of gateways`, async () => {
      const { stub, forge } = await started(provider);
      const difference = (max: number) => 'x'.repeat(Math.min(max, 2_000_000));
      const hostile = 'x <img src=y> @team | --> [a](b)';
      const units = Array.from({ length: 80 }, (_, at) => unit(`gateway-${at}`, 'failure', hostile));
      const { failure } = await reportToForge(
        facts('failure', { difference, units }),
        forge,
        undefined,
        OPTIONS,
        signal,
      );
      expect(failure).toBeUndefined();
      const [body = ''] = bodies(stub);
      expect(body.length).toBeLessThanOrEqual(forge.maxCommentCharacters);
      expect(body).toContain('… and 30 more');
      expect(body).not.toMatch(/<img|@team|(?<!\\)\]\(b/);
    });
  });

  test(`a single report of the controller posts a limited number of commit statuses to ${provider}, failures first`, async () => {
    const { stub, forge } = await started(provider);
    const units = Array.from({ length: 130 }, (_, at) => unit(`g${at}`, at === 129 ? 'failure' : 'success'));
    const first = await reportToForge(
      facts('failure', { units }),
      forge,
      undefined,
      { ...OPTIONS, comment: false },
      signal,
    );
    expect([first.written, first.remaining]).toEqual([100, 31]);
    expect(stub.statuses.slice(0, 2).map(({ context }) => context)).toEqual(['prod', 'prod/team/g129']);
    const second = await reportToForge(
      facts('failure', { units }),
      forge,
      first.posted,
      { ...OPTIONS, comment: false },
      signal,
    );
    expect([second.written, second.remaining]).toEqual([31, 0]);
    const before = stub.statuses.length;
    const pending = facts('pending', {
      commit: NEXT,
      units: units.map(one => ({ ...one, state: 'pending' as const })),
    });
    await reportToForge(pending, forge, second.posted, { ...OPTIONS, comment: false }, signal);
    expect(stub.statuses.length - before).toBe(1);
  });
});
