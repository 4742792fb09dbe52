/** The navigation at the side of every page. */
import type { Site } from './site.ts';

export interface NavigationGroup {
  readonly title: string;
  /** Addresses of pages with their titles in the navigation. */
  readonly links: readonly (readonly [output: string, title: string])[];
}

/** Task pages in the README's order. */
export function buildNavigation({ sources: { pages } }: Site): readonly NavigationGroup[] {
  const titled = (source: string): readonly [string, string] => {
    const page = pages.get(source);
    if (page === undefined) throw new Error(`the README leads to no ${source}`);
    return [page.output, page.title];
  };
  const tasks = [
    'install',
    'images',
    'first-gateway',
    'import',
    'check-in-ci',
    'editors',
    'access',
    'policies',
    'sign-in',
    'workflows',
    'optimizer',
    'typescript',
    'registry',
    'gitops',
    'operate',
    'configuration',
  ];
  return [
    { title: 'Tasks', links: tasks.map(name => titled(`docs/${name}.md`)) },
    {
      title: 'Look up',
      links: [
        ['fields/index.html', 'Fields'],
        ['codes/index.html', 'Codes of findings'],
        titled('docs/errors.md'),
        titled('docs/source-not-ready.md'),
        titled('docs/glossary.md'),
        titled('docs/fields.md'),
        ['runtime/PROTOCOL.html', 'Protocol'],
        ['docs/runbooks/index.html', 'Runbooks of alerts'],
      ],
    },
    {
      title: 'Lintel',
      links: [
        ['index.html', 'Start'],
        ...['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/release.md', 'docs/dependencies.md'].map(titled),
      ],
    },
  ];
}
