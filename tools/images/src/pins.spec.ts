import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const WORKFLOWS = join(ROOT, '.github/workflows');
const files = readdirSync(WORKFLOWS).map((name) => [name, readFileSync(join(WORKFLOWS, name), 'utf8')] as const);

/** The jobs of a workflow, by name. */
const jobsOf = (text: string): Map<string, string> => {
  const [, jobs = ''] = text.split(/^jobs:$/m);
  const parts = jobs.split(/^ {2}([\w-]+):$/m).slice(1);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : [])));
};

describe('what builds a release', () => {
  it.each(files)('security row 62: %s names every action by its commit, with the version beside it', (_, text) => {
    const uses = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action = '']) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses)
      expect(action).toMatch(/^(\.\/\.github\/workflows\/[\w.]+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  });

  it.each(files)('security row 62: %s gives no job a right that writes, except to jobs of a release', (name, text) => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    const writing = [...jobsOf(text)].filter(([, job]) => /: write$/m.test(job));
    const release = name === 'release.yml';
    for (const [, job] of writing) expect(release || /^ {4}if: inputs\.version$/m.test(job)).toBe(true);
    expect(writing.map(([job]) => job)).toEqual(
      { 'images.yml': ['push', 'join'], 'release.yml': ['images', 'archives'] }[name] ?? [],
    );
  });

  it('security row 62: the images begin from one base, by its digest', () => {
    const text = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
    const stages = [...text.matchAll(/ AS ([\w-]+)$/gm)].map(([, stage]) => stage);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const outside = bases.filter((base) => base !== 'scratch' && !stages.includes(base));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how the Dockerfile names its argument.
    expect(outside).toEqual(['${BASE}']);
    expect(text).toMatch(/^ARG BASE=docker\.io\/library\/node:24-bookworm-slim@sha256:[0-9a-f]{64}$/m);
  });

  it('security row 62: images and archives are released with what they hold and how they were built', () => {
    const [images = '', release = ''] = ['images.yml', 'release.yml'].map((name) => new Map(files).get(name));
    expect(images).toMatch(/--provenance mode=max --sbom true/);
    expect(release).toContain('actions/attest-build-provenance@');
    expect(release).toContain('rampart-*.spdx.json');
  });

  it('security row 62: security.txt says where to report and until when it holds, as RFC 9116 has it, and a release checks it', () => {
    const text = readFileSync(join(ROOT, 'security.txt'), 'utf8');
    const contact = /^Contact: (https:\/\/\S+)$/m.exec(text)?.[1] ?? 'none';
    expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).toContain(contact);
    expect(text).toMatch(/^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/m);
    expect(new Map(files).get('release.yml')).toContain('security.txt has ended');
  });
});
