/**
 * The extension's page in VS Code, from its README. VS Code 1.139 shows only images with an http or https address
 * there. So this removes the images; the walkthrough shows those in the package.
 */
export function extensionPage(readme: string): string {
  const isPicture = (part: string): boolean => /^!\[[^\]]*\]\([^)]*\)$/.test(part.trim());
  const [title = '', ...rest] = readme.split(/\n{2,}/).filter((part) => !isPicture(part));
  return [title, 'In pictures: *Tandem: Get Started*, in the command palette.', ...rest].join('\n\n');
}
