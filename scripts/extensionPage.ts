/**
 * The extension's page in VS Code, from its README. VS Code shows no picture there but those that it fetches from a server:
 * 1.139 drops every source that is neither http nor https. So the pictures are left to the walkthrough, which shows those
 * of the package.
 */
export function extensionPage(readme: string): string {
  const isPicture = (part: string): boolean => /^!\[[^\]]*\]\([^)]*\)$/.test(part.trim());
  const [title = '', ...rest] = readme.split(/\n{2,}/).filter((part) => !isPicture(part));
  return [title, 'In pictures: *Tandem: Get Started*, in the command palette.', ...rest].join('\n\n');
}
