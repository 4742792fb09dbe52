import { expect, test } from 'vitest';
import { readCatalog } from '#compiler';
import { lockText } from '../../../compiler/analysis/catalog/index.ts';
import { SourceText } from '../../../compiler/index.ts';
import { createLock, GITHUB } from './locks.ts';

const LOCK = createLock({
  'z/VirtualMCPServer/eng/notes': { tools: [{ name: 'b' }, { name: 'a', title: 'A' }] },
  [GITHUB]: {
    tools: [
      { name: 'find', inputSchema: { type: 'object', required: [], properties: { b: {}, a: { enum: [1, 'x'] } } } },
    ],
    resources: [{ uri: 'memo://1', name: 'one' }],
  },
});

test('the tool lock has a separate line for each member, always in the same order', () => {
  expect(lockText(LOCK)).toBe(`{
  "lockfileVersion": 1,
  "backends": {
    "default/MCPServerEntry/github": {
      "url": "https://github.example.com/mcp",
      "transport": "streamable-http",
      "protocolVersion": "2025-11-25",
      "server": {
        "name": "github",
        "version": "1.0.0"
      },
      "tools": {
        "find": {
          "digest": "${LOCK.backends[GITHUB]?.tools?.find?.digest}",
          "definition": {
            "inputSchema": {
              "properties": {
                "a": {
                  "enum": [
                    1,
                    "x"
                  ]
                },
                "b": {}
              },
              "required": [],
              "type": "object"
            },
            "name": "find"
          }
        }
      },
      "resources": {
        "memo://1": {
          "digest": "${LOCK.backends[GITHUB]?.resources?.['memo://1']?.digest}",
          "definition": {
            "name": "one",
            "uri": "memo://1"
          }
        }
      }
    },
    "z/VirtualMCPServer/eng/notes": {
      "url": "https://github.example.com/mcp",
      "transport": "streamable-http",
      "protocolVersion": "2025-11-25",
      "server": {
        "name": "github",
        "version": "1.0.0"
      },
      "tools": {
        "a": {
          "digest": "${LOCK.backends['z/VirtualMCPServer/eng/notes']?.tools?.a?.digest}",
          "definition": {
            "name": "a",
            "title": "A"
          }
        },
        "b": {
          "digest": "${LOCK.backends['z/VirtualMCPServer/eng/notes']?.tools?.b?.digest}",
          "definition": {
            "name": "b"
          }
        }
      }
    }
  }
}
`);
});

test.each([
  ['the order of members', [{ name: 'a', x: { p: 1, q: 2 } }], [{ x: { q: 2, p: 1 }, name: 'a' }]],
  ['the order of tools', [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }]],
])('the lock file stays the same when %s changes', (_, one, other) => {
  expect(lockText(createLock({ [GITHUB]: { tools: one } }))).toBe(lockText(createLock({ [GITHUB]: { tools: other } })));
});

test.each(['__proto__', 'constructor', '1', 'ключ', 'a"b\n', '\u202e'])(
  'a tool named %j survives writing and reading the lock file',
  name => {
    const lock = createLock({
      [GITHUB]: { tools: [JSON.parse(`{"name":${JSON.stringify(name)},"__proto__":{"x":1}}`)] },
    });
    const text = lockText(lock);
    const { catalog, diagnostics, lock: read } = readCatalog(new SourceText('lintel.lock.json', text));
    expect(diagnostics).toEqual([]);
    expect(lockText(read)).toBe(text);
    expect(catalog.backend(GITHUB)?.tools.map(tool => tool.name)).toEqual([name]);
  },
);
