import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

/** What a registry server lists: files of entries, and objects that are exported to it. */
export const REGISTRY_ENTRIES_CODES = {
  LNT8020: {
    name: 'entries-not-read',
    severity: 'error',
    meaning:
      'A file of entries that the bundle is to hold cannot be read: it is not there, not inside of the project, too large, or no text.',
    since: '0.1.0',
    fix: 'Correct the path, which is relative to the configuration; an absolute path is a file beside the running server',
    bad: yaml`
      sources:
        - name: catalog
          file: { path: missing.json }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          file: { path: drafts.json }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8021: {
    name: 'no-file-of-entries',
    severity: 'error',
    meaning:
      'A file that a source names has another format than that of registries: JSON with a list of servers in data.servers.',
    since: '0.1.0',
    fix: 'Write the servers into data.servers of a JSON object',
  },
  LNT8022: {
    name: 'malformed-entry',
    severity: 'error',
    meaning: 'An entry is not what its version of server.json demands, so clients could not read it.',
    since: '0.1.0',
    fix: 'Correct the entry',
  },
  LNT8023: {
    name: 'repeated-entry',
    severity: 'error',
    meaning: 'A file holds one version of a server twice, and only one of them could be listed.',
    since: '0.1.0',
    fix: 'Remove one of the two, or give it another version',
  },
  LNT8024: {
    name: 'unknown-entry-schema',
    severity: 'error',
    meaning:
      'The $schema of an entry is none of the published versions of server.json, so nobody can say what the entry means.',
    since: '0.1.0',
    fix: 'Write the URL of a published version and what it demands',
  },
  LNT8025: {
    name: 'filter-takes-nothing',
    severity: 'warning',
    meaning: 'The file of a source has entries, and its filter lets none of them through.',
    since: '0.1.0',
    fix: 'Correct the filter',
    bad: yaml`
      sources:
        - name: catalog
          file: { path: drafts.json }
          filter: { names: { include: ['com.other/*'] } }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          file: { path: drafts.json }
          filter: { names: { include: ['com.example/*'] } }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8026: {
    name: 'export-for-others',
    severity: 'warning',
    meaning:
      'An object says by its claims whom it is for, and every list that it could be in is for other callers. It is in none, because lists have one set of claims for all of their entries.',
    since: '0.1.0',
    fix: 'Give a kubernetes source the claims of the object, or remove them from the object',
    bad: yaml`
      sources:
        - name: catalog
          kubernetes: {}
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{"team": "platform"}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
    good: yaml`
      sources:
        - name: catalog
          kubernetes: {}
          claims: { team: platform }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{"team": "platform"}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8027: {
    name: 'unlistable-export',
    severity: 'warning',
    meaning:
      'An annotation of an object that is to be listed holds what no entry can have, so the object is not listed.',
    since: '0.1.0',
    fix: 'Correct the annotation',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: docs.example.com
          lintel.dev/registry-description: Searches the documentation.
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8028: {
    name: 'nothing-exported',
    severity: 'warning',
    meaning:
      'A kubernetes source lists the objects that are compiled together with it and annotated for export, and there are none.',
    since: '0.1.0',
    fix: 'Annotate objects with registry-export, registry-url and registry-description, and compile them together',
    bad: yaml`
      sources:
        - name: catalog
          kubernetes: {}
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          kubernetes: {}
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8029: {
    name: 'repeated-export',
    severity: 'warning',
    meaning: 'Two objects of one name and namespace are to be listed, and their entries would have the same name.',
    since: '0.1.0',
    fix: 'Rename one of them, or do not export it',
    bad: yaml`
      sources:
        - name: catalog
          kubernetes: {}
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
      spec:
        remoteUrl: https://docs.example.com/mcp
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
      spec:
        image: registry.example.com/docs:1.0.0
    `,
    good: yaml`
      sources:
        - name: catalog
          kubernetes: {}
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8031: {
    name: 'newer-entry-schema',
    severity: 'warning',
    meaning:
      'The $schema of an entry is of a version of server.json that was published after the newest one that this program knows. The entry fits that one, and is listed as it is.',
    since: '0.1.0',
    fix: 'Upgrade, or write the URL of a version that is known',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
