// Cycles of imports between the files of a package, and between its folders at every level.

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

/** Imports between files of one package; tests are left out, because they may use whatever they test. */
function importsWithin(files) {
  const known = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, targets }) =>
      targets
        .filter((target) => known.has(target) && packageOf(target) === packageOf(path) && target !== path)
        .map((target) => ({ from: path, to: target })),
    );
}

/** The two sibling folders that an import connects; undefined between a folder and the files of one that contains it. */
export function foldersOf({ from, to }) {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (a[depth] === b[depth]) depth++;
  if (depth >= a.length - 1 || depth >= b.length - 1) return undefined;
  return { from: a.slice(0, depth + 1).join('/'), to: b.slice(0, depth + 1).join('/') };
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

/** One line for each cycle of files and of folders. */
export function cycleProblems(files) {
  const imports = importsWithin(files);
  const fileCycles = cyclesOf(asGraph(imports));
  const folderImports = imports.map((pair) => ({ pair, folders: foldersOf(pair) })).filter(({ folders }) => folders);
  const folderCycles = cyclesOf(asGraph(folderImports.map(({ folders }) => folders)));
  return [
    ...fileCycles.map((cycle) => `These files import each other in a cycle: ${cycle.join(', ')}`),
    ...folderCycles.map((cycle) => {
      const edges = folderImports
        .filter(({ folders }) => cycle.includes(folders.from) && cycle.includes(folders.to))
        .map(({ pair }) => `${pair.from} imports ${pair.to}`);
      return `These folders import each other in a cycle: ${cycle.join(', ')} (${edges.join('; ')})`;
    }),
  ];
}
