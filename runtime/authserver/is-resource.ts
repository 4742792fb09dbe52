/** Equal as URLs: clients write the path of an origin, or leave it out. */
export function isResource(asked: string, resource: string): boolean {
  const normal = (text: string) => (URL.parse(text)?.href ?? text).replace(/\/$/, '');
  return asked === resource || normal(asked) === normal(resource);
}
