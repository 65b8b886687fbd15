/** Copies a text. Rejects with a message for the user. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch (cause) {
    throw new Error('The browser did not allow copying. Select the text and copy it with the keyboard.', {
      cause,
    });
  }
}

/** Saves a text as a download of the browser. */
export function downloadText(label: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = label.slice(Math.max(label.lastIndexOf('/'), label.lastIndexOf('\\')) + 1) || 'text.txt';
  link.click();
  // The browser reads the text during the click.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
