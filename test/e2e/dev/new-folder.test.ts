import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { GATEWAY_FILE, startDevSession } from './dev-session.ts';

/** Selects the tools of a backend for the gateways that refer to it. */
function toolConfig(filter: string): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPToolConfig
metadata: { name: shown }
spec: { toolsFilter: [${filter}] }
`;
}

test('`lintel dev` reads a new file in a new folder and serves its edits', async () => {
  await using dev = await startDevSession();
  // The reference comes first, so only the new file makes the sources valid.
  await writeFile(dev.folder.file(GATEWAY_FILE), dev.gateway('{ workload: backend, toolConfigRef: { name: shown } }'));
  await dev.lintel.stderr.next(/error\[LNT2001\] unresolved-reference: .*\n.* gateway\.yaml:\d+:\d+\n/);
  expect(await dev.client.tools()).toEqual(['backend_echo']);

  const since = performance.now();
  await dev.folder.write({ 'teams/a/tools.yaml': toolConfig('fail') });
  await dev.client.lists(['backend_fail'], since);
  await dev.folder.write({ 'teams/a/tools.yaml': toolConfig('echo, fail') });
  await dev.client.lists(['backend_echo', 'backend_fail'], since);
});
