// Cycles of imports between files, and between the folders of a package at every level.

const isTest = (path) => /\.spec\.tsx?$/.test(path) || path.includes('/testing/');
const packageOf = (path) => path.split('/').slice(0, 2).join('/');

/** The strongly connected components of a directed graph (Tarjan); only those of two nodes or more, each sorted. */
export function cyclesOf(edges) {
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const cycles = [];
  const visit = (node) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node));
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node), lowest.get(next)));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) cycles.push(component.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return cycles;
}

/** Imports between the files; tests are left out, because they may use whatever they test. */
function importsBetween(files) {
  const known = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, targets }) =>
      targets.filter((target) => known.has(target) && target !== path).map((target) => ({ from: path, to: target })),
    );
}

/** Pages of the dashboard lie beside the rooms of their parts, and these rooms use the queries of the page. */
const UNCOUNTED = ['apps/dashboard/'];

/**
 * The two parts of a folder that an import connects: two of its rooms, or a room and the files beside the rooms, which are written
 * as `folder/*`. Undefined within a part, between packages, and for what composes rooms.
 */
function partsOf({ from, to }, composes) {
  if (packageOf(from) !== packageOf(to)) return undefined;
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (a[depth] === b[depth]) depth++;
  const isFile = { from: depth === a.length - 1, to: depth === b.length - 1 };
  if (isFile.from && isFile.to) return undefined;
  if (
    (isFile.from && composes(from)) ||
    ((isFile.from || isFile.to) && UNCOUNTED.some((name) => from.startsWith(name)))
  )
    return undefined;
  const folder = a.slice(0, depth).join('/');
  return {
    from: `${folder}/${isFile.from ? '*' : a[depth]}`,
    to: `${folder}/${isFile.to ? '*' : b[depth]}`,
  };
}

/** Modules of Nest, and files that nobody imports, such as the entry of a program, stand above the rooms beside them. */
function composersIn(imports) {
  const imported = new Set(imports.map(({ to }) => to));
  return (path) => path.endsWith('.module.ts') || !imported.has(path);
}

function asGraph(pairs) {
  const edges = new Map();
  for (const { from, to } of pairs) {
    if (!edges.has(from)) edges.set(from, new Set());
    if (!edges.has(to)) edges.set(to, new Set());
    edges.get(from).add(to);
  }
  return edges;
}

/** One line for each cycle of files. */
export function fileCycles(files) {
  return cyclesOf(asGraph(importsBetween(files))).map(
    (cycle) => `These files import each other in a cycle: ${cycle.join(', ')}`,
  );
}

/** One line for each cycle of folders, with the imports that make it. */
export function folderCycles(files) {
  const imports = importsBetween(files);
  const composes = composersIn(imports);
  const connections = imports.map((pair) => ({ pair, parts: partsOf(pair, composes) })).filter(({ parts }) => parts);
  return cyclesOf(asGraph(connections.map(({ parts }) => parts))).map((cycle) => {
    const edges = connections
      .filter(({ parts }) => cycle.includes(parts.from) && cycle.includes(parts.to))
      .map(({ pair }) => `${pair.from} imports ${pair.to}`);
    return `These folders import each other in a cycle: ${cycle.join(', ')} (${edges.join('; ')})`;
  });
}
