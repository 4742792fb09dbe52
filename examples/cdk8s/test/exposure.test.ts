import { bindTools } from 'lintel/cdk8s';
import { compileExposure, dryRun, fake } from 'lintel/testing';
import { describe, expect, test } from 'vitest';
import { catalog } from '../lintel.lock.ts';
import { platform } from '../platform.ts';
import { DEV, PROD } from '../standards/stage.ts';

const GATEWAYS = ['eng', 'support', 'data'];

describe.each([DEV, PROD])('$name', stage => {
  const app = platform(stage);
  const exposure = (gateway: string) => compileExposure(app, { gateway });

  test.each(GATEWAYS)('gateway %s offers no tool to an anonymous caller, nor to a caller without groups', gateway => {
    exposure(gateway).anonymous().reaches(0);
    exposure(gateway).caller({ groups: [] }).reaches(0);
  });

  test.each(GATEWAYS)('gateway %s lets no caller call a tool that deletes data', gateway => {
    const everybody = { groups: ['eng', 'contractors', 'support', 'support-leads', 'analysts'] };
    exposure(gateway)
      .caller(everybody)
      .cannotReach('github_delete_branch')
      .cannotReach('helpdesk_erase_customer')
      .cannotReach('pg_drop_table');
  });

  test('engineers may create issues through the gateway, and contractors may only read issues', () => {
    exposure('eng')
      .caller({ groups: ['eng'] })
      .canCall('github_create_issue')
      .reaches(4);
    exposure('eng')
      .caller({ groups: ['contractors'] })
      .canCall('github_get_issue')
      .cannotReach('github_create_issue');
  });

  test('through the gateway, analysts can call only the two reading tools of the warehouse, pg_list_tables and pg_query', () => {
    expect(
      exposure('data')
        .caller({ groups: ['analysts'] })
        .reachable(),
    ).toEqual(['pg_list_tables', 'pg_query']);
  });
});

test('the workflow "announce" answers every customer whose ticket matches the topic', async () => {
  const { search_tickets, reply } = bindTools(catalog.helpdesk);
  const run = await dryRun(platform(DEV), 'announce', {
    gateway: 'support',
    input: { topic: 'login', news: 'it works again' },
    tools: [
      fake(search_tickets, {
        total: 2,
        tickets: [
          { id: 7, subject: 'Cannot log in', customer: 'Ada' },
          { id: 9, subject: 'Login is slow', customer: 'Grace' },
        ],
      }),
      fake(reply, {}),
    ],
  });
  expect(run.output).toEqual({ told: 2 });
  expect(run.calls.slice(1).map(call => call.arguments)).toEqual([
    { ticket: 7, text: 'Dear Ada, news about login: it works again' },
    { ticket: 9, text: 'Dear Grace, news about login: it works again' },
  ]);
});

test('only callers of the group support-leads may call the workflow "announce"', () => {
  const support = compileExposure(platform(DEV), { gateway: 'support' });
  support.caller({ groups: ['support-leads'] }).canCall('announce');
  support.caller({ groups: ['support'] }).cannotCall('announce');
});
