import { type HookEntries, isRecord } from '@tandem/agents';
import { hookFiles } from './hookCommands.js';
import {
  addChild,
  type JsonChild,
  type JsonNode,
  memberOf,
  parseJsonText,
  print,
  removeChild,
  wasEmpty,
} from './jsonText.js';

/** The settings of an agent's CLI, as their text. */
export interface SettingsForm {
  /** Whether the CLI allows comments in them. */
  readonly comments: boolean;
}

/** The hooks of ours in settings, by their events. @throws TypeError if the settings have another form */
export function ourHooks(text: string, form: SettingsForm): HookEntries {
  if (isBlank(text)) return {};
  const groups = ourGroups(parse(text, form));
  const events = [...new Set(groups.map(({ event }) => event))];
  return Object.fromEntries(
    events.map((event) => [event, groups.filter((each) => each.event === event).map(({ group }) => group)]),
  );
}

/** The settings with these hooks, too, and without earlier ones of ours. All else stays, byte by byte. */
export function addHooks(text: string, entries: HookEntries, form: SettingsForm): string {
  const start = removeHooks(text, form) ?? '';
  if (isBlank(start)) return `${print({ hooks: entries }, start)}\n`;
  const groups = Object.entries(entries).flatMap(([event, all]) => all.map((group) => ({ event, group })));
  return groups.reduce((before, { event, group }) => {
    const root = parse(before, form);
    const hooks = memberOf(root, 'hooks')?.node;
    if (hooks === undefined) return addChild(before, root, { [event]: [group] }, 'hooks');
    const list = memberOf(hooks, event)?.node;
    return list === undefined ? addChild(before, hooks, [group], event) : addChild(before, list, group);
  }, start);
}

/** The settings without hooks of ours; undefined if there was nothing else. */
export function removeHooks(text: string, form: SettingsForm): string | undefined {
  if (isBlank(text)) return text;
  const root = parse(text, form);
  const [first] = ourGroups(root);
  if (first === undefined) return text;
  const rest = without(text, first.path);
  return rest === undefined ? undefined : removeHooks(rest, form);
}

/** Removes the last of these values, each of which is in the one before, and those that were added for it. */
function without(text: string, path: readonly Step[]): string | undefined {
  const [step] = path.slice(-1);
  if (step === undefined) return undefined;
  const { parent, child } = step;
  if (parent.children?.length === 1 && !wasEmpty(text, parent)) return without(text, path.slice(0, -1));
  return removeChild(text, parent, child);
}

interface Step {
  readonly parent: JsonNode;
  readonly child: JsonChild;
}

interface OurGroup {
  readonly event: string;
  readonly group: object;
  /** To the hook in it. */
  readonly path: readonly Step[];
}

function ourGroups(root: JsonNode): OurGroup[] {
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return [];
  const { children: events = [] } = hooks.node;
  return events.flatMap((event) =>
    (event.node.children ?? []).flatMap((group) => {
      const list = memberOf(group.node, 'hooks');
      const ours = list?.node.children?.find(({ node }) => isOurs(node.value));
      if (list === undefined || ours === undefined || !isRecord(group.node.value)) return [];
      const path = [
        { parent: root, child: hooks },
        { parent: hooks.node, child: event },
        { parent: event.node, child: group },
        { parent: list.node, child: ours },
      ];
      return [{ event: event.name ?? '', group: group.node.value, path }];
    }),
  );
}

function isOurs(hook: unknown): boolean {
  return isRecord(hook) && typeof hook.command === 'string' && hookFiles(hook.command) !== undefined;
}

/** Checks the form of what we change. */
function parse(text: string, form: SettingsForm): JsonNode {
  const root = parseJsonText(text, form);
  if (!isRecord(root.value)) throw new TypeError('it is not a JSON object');
  const { hooks = {} } = root.value;
  if (!isRecord(hooks)) throw new TypeError('"hooks" is not a JSON object');
  const odd = Object.keys(hooks).find((event) => !Array.isArray(hooks[event]));
  if (odd !== undefined) throw new TypeError(`"${odd}" in "hooks" is not a list`);
  return root;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
