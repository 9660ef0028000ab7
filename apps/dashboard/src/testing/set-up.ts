// @ts-expect-error The types of the dashboard are those of browsers.
import { TextEncoder } from 'node:util';

// What Mantine asks of a browser and jsdom does not have.
window.matchMedia = (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView = () => undefined;

// jsdom has none.
Object.assign(globalThis, { TextEncoder });
