import type { ChatPermission, ChatToolContent } from './chatModel.js';

/** What a permission is about, the same for every view. Derived from what is executed, never from the title. */
export interface PermissionDetails {
  /** From the daemon's tool kind. */
  readonly action: 'change' | 'delete' | 'move' | 'run' | 'fetch' | 'use';
  /** The file, command or URL, otherwise the tool; for a heading. Absent for a command that is too long. */
  readonly subject?: string;
  /** The daemon's name of the tool, if it gives one. */
  readonly tool?: string;
  /** The complete arguments that are not visible in a diff: what is executed first, the agent's own words last. */
  readonly fields: readonly PermissionField[];
}

export interface PermissionField {
  /** The argument's key, or `location`. Empty if the arguments have no keys. */
  readonly name: string;
  readonly text: string;
  readonly kind: 'argument' | 'command' | 'words';
}

type Diff = Extract<ChatToolContent, { readonly type: 'diff' }>;

const actions: Readonly<Record<string, PermissionDetails['action']>> = {
  edit: 'change',
  delete: 'delete',
  move: 'move',
  execute: 'run',
  fetch: 'fetch',
};

/** The daemon's tools that execute their argument `command`; and those whose `description` only the user reads. */
const shells: readonly string[] = ['run_shell_command', 'monitor'];
const describedTools: readonly string[] = [...shells, 'agent', 'task'];

export function permissionDetails(request: ChatPermission): PermissionDetails {
  const { toolName, toolKind, content, input } = request;
  const diffs = content.filter((each) => each.type === 'diff');
  const fields = [...fieldsOf(request, diffs), ...locationFields(request, diffs)];
  const isCommand = fields.some(({ kind }) => kind === 'command');
  const subject = subjectOf(request, diffs, input) ?? (isCommand ? undefined : (toolName ?? toolKind));
  return {
    action: (Object.hasOwn(actions, toolKind) ? actions[toolKind] : undefined) ?? 'use',
    ...(subject !== undefined && { subject }),
    fields: ranks.flatMap((kind) => fields.filter((field) => field.kind === kind)),
    ...(toolName !== undefined && { tool: toolName }),
  };
}

/** Whether a diff is all that a permission is about, so that the permission can be answered next to it. */
export function isWholeChange(
  request: ChatPermission,
  diff: { readonly path: string; readonly oldText?: string | undefined; readonly newText: string },
): boolean {
  const [shown, ...others] = request.content;
  return (
    others.length === 0 &&
    shown?.type === 'diff' &&
    shown.path === diff.path &&
    shown.oldText === diff.oldText &&
    shown.newText === diff.newText &&
    permissionDetails(request).fields.length === 0
  );
}

const ranks = ['command', 'argument', 'words'] as const;

function subjectOf(
  { toolName, toolKind }: ChatPermission,
  [diff, ...more]: readonly Diff[],
  input: unknown,
): string | undefined {
  if (diff !== undefined) return more.length === 0 ? diff.path.replace(/^.*[\\/]/, '') : undefined;
  if (isShell(toolName, toolKind)) return shortValue(input, 'command');
  return toolName === 'web_fetch' ? shortValue(input, 'url') : undefined;
}

function fieldsOf({ toolName, toolKind, input }: ChatPermission, diffs: readonly Diff[]): PermissionField[] {
  if (input === undefined || input === null) return [];
  if (!isRecord(input)) return [{ name: '', text: textOf(input), kind: 'argument' }];
  const isDescribed = toolName === undefined ? toolKind === 'execute' : describedTools.includes(toolName);
  return Object.entries(input).flatMap(([name, value]): PermissionField[] => {
    if (isInChange(name, value, toolName, diffs)) return [];
    const isCommand = name === 'command' && isShell(toolName, toolKind);
    const kind = isCommand ? 'command' : name === 'description' && isDescribed ? 'words' : 'argument';
    return [{ name, text: textOf(value), kind }];
  });
}

/** Locations that no argument and no diff names. */
function locationFields({ locations, input }: ChatPermission, diffs: readonly Diff[]): PermissionField[] {
  const named = new Set<unknown>(diffs.map(({ path }) => path));
  for (const value of isRecord(input) ? Object.values(input) : []) named.add(value);
  return locations
    .filter(({ path }) => !named.has(path))
    .map(({ path, line }) => ({
      name: 'location',
      text: line === undefined ? path : `${path}:${line}`,
      kind: 'argument',
    }));
}

/** Whether the diff shows an argument of a tool that changes files. */
function isInChange(
  name: string,
  value: unknown,
  toolName: string | undefined,
  [diff, ...more]: readonly Diff[],
): boolean {
  if (diff === undefined || more.length > 0 || typeof value !== 'string') return false;
  if (name === 'file_path') return value === diff.path;
  if (toolName === 'write_file') return name === 'content' && value === diff.newText;
  if (toolName !== 'edit') return false;
  return (
    (name === 'old_string' && (diff.oldText ?? '').includes(value)) ||
    (name === 'new_string' && diff.newText.includes(value))
  );
}

function isShell(toolName: string | undefined, toolKind: string): boolean {
  return toolName === undefined ? toolKind === 'execute' : shells.includes(toolName);
}

/** A value that fits into a heading. */
function shortValue(input: unknown, key: string): string | undefined {
  const value = isRecord(input) && Object.hasOwn(input, key) ? input[key] : undefined;
  return typeof value === 'string' && /^\S.{0,59}$/.test(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? String(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
