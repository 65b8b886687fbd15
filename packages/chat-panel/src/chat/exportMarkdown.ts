import type { ChatItem, ChatModel } from '@tandem/chat/model';
import { chatTitle, toolWords } from './chatWords.js';

/** The conversation as a Markdown document. */
export function exportMarkdown(model: ChatModel): string {
  const parts = [`# ${chatTitle(model)}`, ...model.items.map(itemMarkdown)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A file name that is valid on every system. */
export function exportName(model: ChatModel): string {
  const name = chatTitle(model)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `${name || 'chat'}.md`;
}

function itemMarkdown(item: ChatItem): string {
  switch (item.kind) {
    case 'user':
      return `## You\n\n${item.text}${item.images.map(() => '\n\n*(a picture)*').join('')}`;
    case 'assistant':
      return `## Qwen\n\n${item.text}`;
    case 'thought':
      return `<details><summary>Thought</summary>\n\n${item.text}\n\n</details>`;
    case 'tool': {
      const contents = item.content.map((content) => {
        if (content.type === 'text') return fenced(content.text, '');
        if (content.type === 'diff') return `${content.path}:\n\n${fenced(content.newText, '')}`;
        return '*(a picture)*';
      });
      return [`**Tool:** ${item.title || item.toolName || 'tool'} (${toolWords(item)})`, ...contents].join(
        '\n\n',
      );
    }
    case 'error':
      return `**Error:** ${item.text}`;
    case 'notice':
      return `*${item.text}*`;
  }
}

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
