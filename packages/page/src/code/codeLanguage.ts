import {
  forceParsing,
  indentUnit,
  LanguageDescription,
  language,
  syntaxTreeAvailable,
} from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';

/** In a larger text, parsing would delay every key. */
const longestHighlighted = 2 * 1024 * 1024;
/** A longer line, such as minified code, costs as much as a file. */
const longestHighlightedLine = 20_000;

/** File names that `@codemirror/language-data` does not list for their language. */
const otherNames: readonly (readonly [RegExp, string])[] = [
  [/\.(jsonc|json5|jsonl|webmanifest)$|^\.(babelrc|eslintrc|prettierrc|swcrc)$/i, 'JSON'],
  [/^\.(bashrc|bash_profile|profile|zshrc|zprofile|envrc)$|\.(zsh|ksh|bats|fish)$/i, 'Shell'],
  [/^(Containerfile|Dockerfile\..+|.+\.dockerfile)$/i, 'Dockerfile'],
  [/^\.(editorconfig|npmrc|gitconfig|env(\..+)?)$|\.(cfg|conf)$/i, 'Properties files'],
  [/\.(svelte|astro|htm|xhtml)$/i, 'HTML'],
  [/^(Cargo|poetry|uv|Pipfile)\.lock$|^Pipfile$/, 'TOML'],
];

/** The language of a file by its name, where one is known. */
export function findLanguage(path: string): LanguageDescription | null {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const other = otherNames.find(([pattern]) => pattern.test(name));
  if (other !== undefined) return LanguageDescription.matchLanguageName(languages, other[1], false);
  return LanguageDescription.matchFilename(languages, name);
}

/** Whether a text is small enough for its syntax to be coloured. */
export function isHighlightable(doc: Text): boolean {
  if (doc.length > longestHighlighted) return false;
  // In a text shorter than that no line can be longer.
  if (doc.length <= longestHighlightedLine) return true;
  for (const line of doc.iterLines()) if (line.length > longestHighlightedLine) return false;
  return true;
}

/** Loads the language of a file, so that a new editor has colours at once. Never rejects. */
export async function preloadLanguage(path: string): Promise<void> {
  await findLanguage(path)
    ?.load()
    .catch(() => {});
}

/**
 * Syntax colours by the file's name. The language is fetched when it is first needed; the text is there before it,
 * plain, and stays so where it is too large or the language cannot be fetched.
 */
export function codeLanguage(path: string, doc: Text | undefined): Extension {
  const description = findLanguage(path);
  if (description === null) return [];
  const { support } = description;
  if (support !== undefined && doc !== undefined) return isHighlightable(doc) ? support : [];
  const compartment = new Compartment();
  const loader = ViewPlugin.define((view) => {
    let isClosed = false;
    void addLanguage(view, description, compartment, () => isClosed);
    return {
      destroy: () => {
        isClosed = true;
      },
    };
  });
  return [compartment.of([]), loader];
}

async function addLanguage(
  view: EditorView,
  description: LanguageDescription,
  compartment: Compartment,
  isClosed: () => boolean,
): Promise<void> {
  try {
    const support = await description.load();
    if (isClosed() || !isHighlightable(view.state.doc)) return;
    view.dispatch({ effects: compartment.reconfigure(support) });
  } catch (cause) {
    // The companion may be unreachable. The code is shown without colours.
    if (!isClosed())
      reportError(new Error(`Cannot load the syntax colours of ${description.name}.`, { cause }));
  }
}

const linesLookedAt = 2_000;

/** One level of a text's indentation: a tab or some spaces. */
export function findIndentation(doc: Text): string | undefined {
  let tabs = 0;
  const steps = new Map<number, number>();
  let before = 0;
  let lines = 0;
  for (const line of doc.iterLines()) {
    lines += 1;
    if (lines > linesLookedAt) break;
    // Blank lines have no indentation, and the stars of a block comment are one off.
    const indent = /^([ \t]*)(?![\s*])./.exec(line)?.[1];
    if (indent === undefined) continue;
    if (indent.startsWith('\t')) {
      tabs += 1;
      before = 0;
      continue;
    }
    const step = indent.length - before;
    if (step === 2 || step === 3 || step === 4 || step === 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    before = indent.length;
  }
  const [common] = [...steps].sort((a, b) => b[1] - a[1]);
  if (tabs > (common?.[1] ?? 0)) return '\t';
  return common === undefined ? undefined : ' '.repeat(common[0]);
}

/** Indents like the text; by two spaces if it has no indentation. */
export function codeIndentation(doc: Text | undefined): Extension {
  const unit = doc === undefined ? undefined : findIndentation(doc);
  return [indentUnit.of(unit ?? '  '), EditorState.tabSize.of(4)];
}

/** How long parsing takes at once, and the pause after it, in milliseconds, so that keys are not delayed. */
const workMs = 25;
const restMs = 50;

/**
 * Colours the visible text. CodeMirror's own worker pauses for half a minute after three seconds of parsing, which is not
 * enough for 20,000 lines.
 */
export const parseInView = ViewPlugin.define((view) => {
  let timer: number | undefined;
  const isDue = (): boolean =>
    view.state.facet(language) !== null && !syntaxTreeAvailable(view.state, view.viewport.to);
  const plan = (): void => {
    if (timer === undefined && isDue()) timer = window.setTimeout(work, restMs);
  };
  const work = (): void => {
    timer = undefined;
    forceParsing(view, view.viewport.to, workMs);
    plan();
  };
  plan();
  return { update: plan, destroy: () => window.clearTimeout(timer) };
});
