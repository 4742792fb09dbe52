/** The extension in a real VS Code in a real browser: what a user sees. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { startCodeServer, withVsCode } from './code-server.ts';
import { installVsix } from './installed.ts';

/** On a busy machine the workbench takes a minute to load. */
const LIMIT_MS = 200_000;

withVsCode('a person sees who can call what, the colors of policies, and a mistake as it is typed', async () => {
  await using installed = await installVsix();
  await using folder = await temporaryFolder({ 'lintel.yaml': 'sources: [specs]\n' });
  for (const part of ['specs', 'lintel.lock.json'])
    await cp(join(ROOT, 'examples/policies', part), folder.file(part), { recursive: true });
  await using server = await startCodeServer(installed.file);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(server.windowOf(folder.path));
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'specs' }).click();
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'team.yaml' }).dblclick();

    const lens = page.locator('.codelens-decoration', { hasText: /4 kinds of callers can call: principal in Group/ });
    await lens.waitFor();
    // As plain YAML, a block of text has one color.
    const policy = page.locator('.view-line', { hasText: 'permit (principal in Group::"staff"' });
    await expect
      .poll(async () => await policy.locator('span > span').count(), { timeout: LIMIT_MS })
      .toBeGreaterThan(5);

    await page.locator('.view-line', { hasText: 'type: oidc' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type('x');
    await page.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('F8');
    const marker = page.locator('.zone-widget', { hasText: /LNT1011/ });
    await marker.waitFor();
    expect(await marker.textContent()).toContain('lintel');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Backspace');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  } finally {
    await browser.close();
  }
});
