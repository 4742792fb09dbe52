/**
 * The strongly connected components of a graph: the component number of each node, by Tarjan's algorithm with an explicit stack.
 * @param next the successors of each node
 */
export function findStrongComponents(next: readonly (readonly number[])[]): readonly number[] {
  const order: number[] = [];
  const low: number[] = [];
  const component: number[] = [];
  const open: number[] = [];
  let count = 0;
  let visited = 0;
  const enter = (node: number) => {
    order[node] = visited;
    low[node] = visited;
    visited += 1;
    open.push(node);
    return { node, at: 0 };
  };
  for (const start of next.keys()) {
    if (order[start] !== undefined) continue;
    const trail = [enter(start)];
    while (trail.length > 0) {
      const here = trail[trail.length - 1] as (typeof trail)[number];
      const target = next[here.node]?.[here.at];
      here.at += 1;
      if (target !== undefined) {
        if (order[target] === undefined) trail.push(enter(target));
        else if (component[target] === undefined) low[here.node] = Math.min(low[here.node] ?? 0, order[target]);
        continue;
      }
      trail.pop();
      const parent = trail[trail.length - 1];
      if (parent) low[parent.node] = Math.min(low[parent.node] ?? 0, low[here.node] ?? 0);
      if (low[here.node] !== order[here.node]) continue;
      let member: number | undefined;
      do {
        member = open.pop();
        if (member !== undefined) component[member] = count;
      } while (member !== here.node && member !== undefined);
      count += 1;
    }
  }
  return component;
}
