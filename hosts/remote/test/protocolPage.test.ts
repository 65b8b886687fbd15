import { readFileSync } from 'node:fs';
import { userActions } from '@tandem/testing';
import { describe, expect, it } from 'vitest';
import { editorProtocolSchema } from '../src/jsonSchema.js';

const page = readFileSync(new URL('../../../docs/editor-protocol.md', import.meta.url), 'utf8');
const { fromEditor, fromTandem, notificationsFromTandem } = editorProtocolSchema();
const fromOthers = { ...fromTandem, ...notificationsFromTandem };

/** The members of an object schema, those of the objects in it included. */
function membersOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
  return [...properties, ...Object.values(schema).flatMap(membersOf)];
}

/** What the page says of a method: the parameters after its name. */
function documented(side: string, method: string): string[] | undefined {
  const [, parameters] = new RegExp(`\`${method}\` \\{([^}]*)\\}`).exec(side) ?? [];
  return parameters === undefined
    ? undefined
    : [...parameters.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}

/** The tables of one side: each has a head that names who sends. */
function tablesOf(who: string): string {
  return page
    .split(/^(?=\| .*\|\n\|---)/m)
    .filter((part) => part.startsWith(`| ${who} sends`))
    .join('\n');
}

describe('the page about the editor protocol', () => {
  it.each<[string, Readonly<Record<string, { readonly params: object }>>]>([
    ['the editor', fromEditor],
    ['Tandem', fromOthers],
  ])('has the methods that %s sends, with their parameters [EDT-23]', (who, methods) => {
    const tables = tablesOf(who);
    for (const [method, { params }] of Object.entries(methods)) {
      const properties = 'properties' in params ? Object.keys(params.properties ?? {}) : [];
      expect(documented(tables, method)?.sort(), method).toEqual(properties.sort());
    }
    const named = [...tables.matchAll(/`([a-z]+\/[a-zA-Z]+)` \{/g)].map(([, method]) => method);
    expect(named.filter((method) => !Object.hasOwn(methods, method ?? ''))).toEqual([]);
  });

  it('names each member of what it describes itself', () => {
    const { params, result } = fromEditor.initialize ?? {};
    const described = [
      params,
      result,
      fromEditor['context/changed']?.params,
      fromOthers['review/show']?.params,
    ];
    const names = new Set(described.flatMap(membersOf));
    // Comments and ranges are those of other pages.
    const others = ['start', 'end', 'line', 'character', 'side', 'quote', 'lines', 'first', 'last', 'size'];
    expect([...names].filter((name) => !page.includes(`\`${name}\``) && !others.includes(name))).toEqual([]);
  });

  it('has each action of a user that a driver plays', () => {
    expect(userActions.filter((action) => !page.includes(`\`test/${action}\` {`))).toEqual([]);
  });

  it.each([
    ['neovim/test/driver.lua', /test_actions = \{([^}]*)\}/],
    ['emacs/test/driver.el', /:test \[([^\]]*)\]/],
  ])('has no other actions than %s plays', (file, list) => {
    const driver = readFileSync(new URL(`../../../editors/${file}`, import.meta.url), 'utf8');
    const [, names = ''] = list.exec(driver) ?? [];
    expect([...names.matchAll(/\w+/g)].map(([name]) => name).sort()).toEqual([...userActions].sort());
  });
});
