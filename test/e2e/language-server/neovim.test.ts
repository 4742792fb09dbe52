/** The Neovim settings on the page about editors work in this machine's Neovim. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

/** Sections of the page by the first minor version of Neovim 0.x that each is for; newest first. */
const SINCE = [11, 8, 7];

/** Waits for a finding, then prints all of them, and the hover text of a field. */
const LOOK = `
local function findings() return vim.diagnostic.get(0) end
vim.wait(200000, function() return #findings() > 0 end, 50)
local found = {}
for _, one in ipairs(findings()) do table.insert(found, { code = one.code, line = one.lnum, message = one.message }) end
local position = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 4, character = 4 } }
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', position, 200000)
local texts = {}
for _, one in pairs(hover or {}) do table.insert(texts, one.result.contents.value) end
io.stdout:write(vim.json and vim.json.encode({ found, texts }) or vim.fn.json_encode({ found, texts }))
vim.cmd('qa!')
`;

withPeers('nvim').test(
  'Neovim shows a finding of the language server at its line, and a hover on a field',
  async () => {
    const { stdout: version } = await promisify(execFile)('nvim', ['--version']);
    const minor = Number(/^NVIM v0\.(\d+)/.exec(version)?.[1] ?? '99');
    const page = await readFile(join(ROOT, 'docs/editors.md'), 'utf8');
    const snippets = [...page.matchAll(/```lua\n(.*?)```/gs)].map(([, text = '']) => text);
    expect(snippets).toHaveLength(SINCE.length);
    await using folder = await temporaryFolder({
      'lintel.yaml': 'sources: [specs]\n',
      'specs/gateway.yaml': CLEAN['gateway.yaml'] ?? '',
      'init.lua': snippets[SINCE.findIndex(since => minor >= since)] ?? '',
      'look.lua': LOOK,
    });
    // As npm installs it.
    await mkdir(folder.file('node_modules/.bin'), { recursive: true });
    await symlink(ROOT, folder.file('node_modules/lintel'));
    await symlink('../lintel/dist/lintel.js', folder.file('node_modules/.bin/lintel'));
    const args = ['--headless', '-u', 'init.lua', 'specs/gateway.yaml', '-c', 'luafile look.lua'];
    const { PATH = '' } = process.env;
    const { stdout } = await promisify(execFile)('nvim', args, {
      cwd: folder.path,
      env: { PATH, HOME: folder.path, XDG_STATE_HOME: folder.path },
    });
    const [found, texts] = JSON.parse(stdout);
    expect(found).toEqual([
      { code: 'LNT2001', line: 4, message: expect.stringContaining('no MCPGroup named "tools"') },
    ]);
    expect(texts).toEqual([expect.stringContaining('VirtualMCPServer.spec.groupRef')]);
  },
);
