/** Stands for every style sheet in tests of components: each class has its own name. */
export default new Proxy({}, { get: (_, name) => String(name) });
