import { LanguageDescription } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { classHighlighter, highlightCode } from '@lezer/highlight';

export interface ColouredPart {
  readonly text: string;
  /** Names of classes such as `tok-keyword`; empty for plain text. */
  readonly classes: string;
}

/** A longer code is shown plain: it would be felt. */
const longest = 20_000;

/** Code in parts with the classes of their colours. Undefined where the language is not known or cannot be fetched. */
export async function colourCode(
  code: string,
  language: string,
): Promise<readonly ColouredPart[] | undefined> {
  if (code.length > longest) return undefined;
  const description = LanguageDescription.matchLanguageName(languages, language, true);
  const support = await description?.load().catch(() => undefined);
  if (support === undefined) return undefined;
  const parts: ColouredPart[] = [];
  highlightCode(
    code,
    support.language.parser.parse(code),
    classHighlighter,
    (text, classes) => parts.push({ text, classes }),
    () => parts.push({ text: '\n', classes: '' }),
  );
  return parts;
}
