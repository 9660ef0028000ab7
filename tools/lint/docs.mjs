// Writes the generated parts of the documentation; with --check it only compares.
await import('./settings.mjs');
await import('./security.mjs');
