/** Equal as URLs: clients may omit or add the path of an origin. */
export function isResource(requested: string, resource: string): boolean {
  const normal = (text: string) => (URL.parse(text)?.href ?? text).replace(/\/$/, '');
  return requested === resource || normal(requested) === normal(resource);
}
